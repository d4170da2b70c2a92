"""What the answers say: which conventions fit the numbers, which errors a rule demands, and what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from rankspec.conformance.infer.interview.prediction import OverBudgetError, Predictor, all_singles, distance, fits
from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.infer.interview.version_space import Holds, Space, Versions, complexity, narrowed
from rankspec.conformance.run.outcomes import Malformed, NotCalled, Number, Outcome, PerQuery, Raised, is_refusal
from rankspec.conformance.worker.values import Special
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.values import Undefined

EMPTY = "an empty list"
HITS, MISSES = "a list of relevant documents alone", "a query without relevant documents"
NEGATIVE = "a negative grade"
REPEATED = "a document that appears twice"
VALUE_OF_ZERO = "an input whose value is 0"
_MOST_FOLLOWED = 60  # How many conventions are followed from probe to probe
_FAR = 4  # One of so many answers is right by chance: some are 0 and 1 under every convention
_COMPARED = 8  # How many of them are held against all answers: some 1,000 predictions each
_MOST_QUESTIONS = 70  # How many probes are looked at, the first ones, which are the smallest and tell most
_BUDGET = 300_000  # In predictions. Of 14 wrong functions the search took 240,000 at most, in 6 s.


@dataclass(frozen=True)
class Evidence:
    """Probes with their answers, in the order in which they are to be looked at."""

    answers: dict[ShapedProbe, Outcome]

    @property
    def numbers(self) -> list[ShapedProbe]:
        """Probes that were answered with numbers, and of which every convention speaks."""
        return [
            each for each, outcome in self.answers.items()
            if isinstance(outcome, Number | PerQuery) and not each.probe.loose and not self.is_empty_quotient(each)
        ]  # fmt: skip

    @property
    def of_numbers(self) -> Evidence:
        """The answers that are numbers."""
        return Evidence({each: self.answers[each] for each in self.numbers})

    @property
    def empty_quotients(self) -> list[ShapedProbe]:
        """Probes of which every convention speaks, and that were answered with 0/0."""
        return [each for each in self.answers if not each.probe.loose and self.is_empty_quotient(each)]

    def is_empty_quotient(self, question: ShapedProbe) -> bool:
        """Tell whether nan is all that came for an empty list: 0/0, which says that there is nothing to divide."""
        match self.answers[question]:
            case Number(Special.NAN):
                return EMPTY in question.features
            case _:
                return False

    @property
    def refused(self) -> list[ShapedProbe]:
        """Probes on which it raised, crashed, hung, or returned no number, those with the fewest difficulties first."""
        refused = [
            each for each, outcome in self.answers.items() if not isinstance(outcome, Number | PerQuery | NotCalled)
        ]  # fmt: skip
        return sorted(refused, key=lambda each: (len(each.features), each.probe.size))

    @property
    def commonest_failure(self) -> str:
        """What it does most often where it returns no number, and for how many inputs it returns none."""
        refused = [self.answers[each] for each in self.refused]
        raised = (f"raises {each.type}" if isinstance(each, Raised) else "returns no number" for each in refused)
        commonest = Counter(raised).most_common(1)[0][0]
        return f"it {commonest} for {len(refused)} of {len(refused) + len(self.numbers)} inputs"

    def without(self, feature: str) -> Evidence:
        """Return the answers to questions without a feature."""
        return Evidence({each: outcome for each, outcome in self.answers.items() if feature not in each.features})

    @cached_property
    def singles(self) -> bool:
        """Whether it answers in singles."""
        return all_singles(list(self.answers.values()))


@dataclass(frozen=True)
class Reading:
    """What evidence leaves of a version space."""

    versions: Versions
    # what is out of the ordinary -> a probe that it refused, where no convention that is left demands it
    refusals: dict[str, ShapedProbe] = field(default_factory=dict)
    contradictions: tuple[ShapedProbe, ...] = ()  # probes refused without a reason, or answered by no number
    long: tuple[ShapedProbe, ...] = ()  # refused probes whose lists are longer than all that were answered


def read(space: Space, evidence: Evidence, predictor: Predictor) -> Reading:
    """Return the conventions that fit all evidence."""
    singles = evidence.singles

    def fitting(question: ShapedProbe, convention: Convention) -> bool:
        return fits(evidence.answers[question], predictor.predicted(question, convention), singles=singles)

    versions = Versions.all_of(space)
    return with_errors(narrowed(versions, versions.easiest_first(evidence.numbers), fitting), evidence, predictor)


def with_errors(versions: Versions, evidence: Evidence, predictor: Predictor) -> Reading:
    """Return the conventions that demand the errors as well, and what is refused though none demands it."""
    unexplained: list[ShapedProbe] = []
    unraised: list[ShapedProbe] = []  # None in place of the exception that is demanded is an observation
    for question in evidence.refused:
        outcome, joined = evidence.answers[question], versions.joined_by(question)
        demanded = [each for each in joined.members if predictor.predicted(question, each).value is Undefined.ERROR]
        if not (demanded and is_refusal(outcome)):
            unexplained.append(question)
            continue
        versions = versions if question.probe.loose else replace(joined, members=tuple(demanded))
        if not isinstance(outcome, Raised):
            unraised.append(question)
    loose = (each for each in evidence.answers if each.probe.loose and "empty_mean" in each.settings)
    empty_means = (each for each in loose if isinstance(evidence.answers[each], Number | PerQuery))
    for question in (*empty_means, *evidence.empty_quotients):
        outcome, joined = evidence.answers[question], versions.joined_by(question)
        answered_so = [each for each in joined.members if fits(outcome, predictor.predicted(question, each))]
        # Else it is reported, and held against nobody: a mean of nothing in floats is no rule for lists without a hit,
        # and few who read files think of one without lines.
        versions = replace(joined, members=tuple(answered_so)) if answered_so else versions
    refusals, contradictions = _reasons(unexplained, evidence)
    refusals = _reasons(unraised, evidence)[0] | refusals
    # What it refuses may be every input whose value is 0, if it answers none with 0.
    answered_with = {outcome.value for outcome in evidence.answers.values() if isinstance(outcome, Number)}
    if contradictions and versions.members and 0 not in answered_with:
        first = versions.members[0]
        if all(predictor.predicted(each, first).value == 0 for each in contradictions):
            refusals[VALUE_OF_ZERO], contradictions = contradictions[0], ()
    malformed = tuple(question for question in contradictions if isinstance(evidence.answers[question], Malformed))
    answered = max((question.longest for question in evidence.numbers), default=0)
    failed = tuple(question for question in contradictions if question not in malformed)
    if any(question.longest <= answered for question in failed):
        return Reading(versions, refusals, (*failed, *malformed))
    return Reading(versions, refusals, malformed, failed)


def _reasons(
    refused: Sequence[ShapedProbe], evidence: Evidence
) -> tuple[dict[str, ShapedProbe], tuple[ShapedProbe, ...]]:
    """Return features all of whose probes were refused, and the probes that have none such."""
    # What no convention speaks of contradicts none: there one feature is named, though answered in another input.
    answered = {
        feature
        for question, outcome in evidence.answers.items()
        if isinstance(outcome, Number | PerQuery)
        for feature in question.features
    }
    refusals: dict[str, ShapedProbe] = {}
    contradictions = []
    for question in refused:
        reasons = [feature for feature in question.features if question.probe.loose or feature not in answered]
        if reasons:
            refusals.setdefault(reasons[0], question)
        elif not question.probe.loose:
            contradictions.append(question)
    return refusals, tuple(contradictions)


# ---- The nearest convention


@dataclass(frozen=True)
class Nearest:
    """A convention, and the probes on which the answers are not its own, the smallest first."""

    convention: Convention
    explained: int
    parting: tuple[ShapedProbe, ...]
    stopped: int | None = None  # the predictions after which the search ended, None if it followed every probe


def nearest(
    space: Space, evidence: Evidence, predictor: Predictor, is_feasible: Holds = lambda _, __: True
) -> Nearest | None:
    """Return the convention with the fewest misses, then the least distance; infeasible answers count as right."""
    questions = [each for each in evidence.answers if not (each.probe.loose or evidence.is_empty_quotient(each))]
    if not questions:
        return None
    before = predictor.effort.spent
    singles = evidence.singles

    def is_right(each: ShapedProbe, member: Convention) -> bool:
        if not is_feasible(each, member):
            return True
        predicted = predictor.predicted(each, member)
        # A low scale leaves most grades beyond it: what fits for that alone does not make a convention near.
        answer = evidence.answers[each]
        is_idle = predicted.is_beyond_scale and isinstance(answer, Number | PerQuery)
        return not is_idle and fits(answer, predicted, singles=singles)

    def score(each: ShapedProbe, member: Convention) -> tuple[int, float]:
        if is_right(each, member):
            return 0, 0.0
        return 1, distance(evidence.answers[each], predictor.predicted(each, member))

    followed = _followed(space, questions[:_MOST_QUESTIONS], score)
    convention, stopped = space.start, None
    near: list[Convention] = []
    try:
        with predictor.effort.within(_BUDGET):
            for near in followed:
                convention = near[0]
            # These are the nearest to the first answers; which is nearest to all of them? Where even the first one has
            # few of the first answers, none is near, and every value under eight others would be computed for nothing.
            first = questions[:_MOST_QUESTIONS]
            if _FAR * sum(is_right(each, convention) for each in first) >= len(first):
                # Few of the first answers tell the precisions of scores apart, so each is held against all.
                precisions = space.settings.get("score_precision", ())
                others = [near[0].with_setting("score_precision", each) for each in precisions] if near else []
                compared = dict.fromkeys([*near[:_COMPARED], space.start, *others])
                totals = {
                    one: tuple(map(sum, zip(*(score(each, one) for each in questions), strict=True)))
                    for one in compared
                }
                convention = min(compared, key=lambda each: (*totals[each], complexity(each)))
    except OverBudgetError:
        stopped = predictor.effort.spent - before
    parting = [each for each in questions if not is_right(each, convention)]
    smallest_first = tuple(sorted(parting, key=lambda each: each.probe.size))
    return Nearest(convention, len(questions) - len(parting), smallest_first, stopped)


def _followed(
    space: Space, questions: Sequence[ShapedProbe], score: Callable[[ShapedProbe, Convention], tuple[int, float]]
) -> Iterator[list[Convention]]:
    """Yield the conventions that are nearest to the answers so far, after each of them, the plainest first."""
    versions = Versions.all_of(space)
    scores: dict[Convention, tuple[int, float]] = {versions.members[0]: (0, 0.0)}
    for each in questions:
        waiting = tuple(axis for axis in space.settings if axis in versions.needed(each) - versions.joined)
        grown: dict[Convention, tuple[int, float]] = {}
        for member, (wrong, apart) in scores.items():
            for extended in space.extended([member], waiting, versions.joined):
                is_wrong, distant = score(each, extended)
                total = (wrong + is_wrong, apart + distant)
                grown[extended] = min(total, grown.get(extended, total))
        # What is formed first has fewer differences from the default, and stays first among equals.
        best = sorted(grown, key=grown.__getitem__)[:_MOST_FOLLOWED]
        scores = {member: grown[member] for member in best}
        versions = Versions(space, tuple(best), versions.joined | set(waiting))
        yield sorted(best, key=lambda member: (grown[member], complexity(member)))
