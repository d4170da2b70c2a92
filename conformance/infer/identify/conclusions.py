"""Reporting: from the conventions that are left to what is said of them, and of the inputs on which it fails."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from rankspec.conformance.checks.labels_above_one import label_of_two
from rankspec.conformance.implementations.naming import says_average_precision
from rankspec.conformance.infer.identify.identification import (
    DEGENERATE,
    Counterexample,
    Identification,
    Status,
    input_data,
)
from rankspec.conformance.infer.interview import prediction
from rankspec.conformance.infer.interview.evidence import NEGATIVE, VALUE_OF_ZERO, Evidence, Reading
from rankspec.conformance.infer.interview.inputs import random_probes
from rankspec.conformance.infer.interview.interview import Finding, FindingKind, Interview
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe, has_tied_documents
from rankspec.conformance.infer.interview.relations import hit_at, sized
from rankspec.conformance.infer.interview.version_space import Class, Versions, narrowed, space_of
from rankspec.conformance.judge.agreement import roundings_off
from rankspec.conformance.judge.verdicts import Verdict, judge
from rankspec.conformance.run.outcomes import Number, PerQuery, is_error, is_unanswered
from rankspec.conformance.worker.packing import CUTOFFS
from rankspec.conformance.worker.shapes import WEIGHTS, Need, Shape
from rankspec.oracle.conventions.convention import AXES, Convention, setting_text
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.conventions.profiles import PROFILES, Profile
from rankspec.oracle.data.document_weights import in_copies
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.language.expression import differences_text
from rankspec.oracle.reals.deciding import enclosing_fraction
from rankspec.oracle.values import Undefined

MOST_MEMBERS = 4000  # How many conventions are listed, to be divided into classes
_MOST_TEXTS = 50  # A reader needs the first few; 50 are enough to see what is open
_LOOSE = DEGENERATE | {"a label below 0", NEGATIVE}
_UNCUT = 30  # Small random inputs: a rule of its own for no cutoff shows on most of them
_Weighted = tuple[Sequence[Sequence[int]], Sequence[int]]  # Labels of each list, best first; weights
_LISTS: Sequence[_Weighted] = (
    (((1, 0, 1, 0),), (2, 1, 3, 1)),
    (((0, 1, 1, 0, 1),), (1, 3, 1, 2, 1)),
    (((1, 0, 0, 1),), (1, 3, 1, 2)),
)
"""A list whose documents are weighted: in none do copies change the measure as they would in another order."""
_PAIRS: Sequence[_Weighted] = tuple(
    (lists, (2, 1)) for lists in (((1, 0), (0, 1)), ((0, 0, 1), (1, 0, 1)), ((1, 1, 0), (0, 1, 1)))
)
_OF_ONE_LIST = frozenset({Shape.LABELS_SCORES, Shape.RANKING, Shape.ACTUAL_PREDICTED})
_SAME = 1e-9


def identified(interview: Interview, reading: Reading) -> Identification:
    """Report the conventions that fit everything."""
    members = reading.versions.complete(MOST_MEMBERS)
    searched = "inputs that separate the conventions"
    groups = None if members is None else interview.within_budget(searched, lambda: interview.classes(members))
    observe(interview, reading)
    sample = members or reading.versions.members
    status = status_of(interview, groups or ())
    return result(interview, status, reading.versions, groups or [tuple(sample[:_MOST_TEXTS])])


def status_of(interview: Interview, groups: Sequence[Class]) -> Status:
    """Return how an identification ends that leaves these classes of conventions."""
    is_one = len(groups) == 1 and not interview.answered.is_incomplete
    return Status.IDENTIFIED if is_one else Status.AMBIGUOUS


def observe(interview: Interview, reading: Reading, predictor: prediction.Predictor | None = None) -> None:
    """Note what it refuses, changes, and answers to what no convention speaks of; `predictor` is a deviation's."""
    interview.is_exceptional |= bool(reading.refusals)
    for feature, question in reading.refusals.items():
        outcome = interview.answers[question]
        interview.note(f"fails on {feature}: {prediction.outcome_text(outcome)}", kind=FindingKind.REFUSAL)
    if interview.respondent.mutated:
        interview.note(f"it changes its arguments (in {len(interview.respondent.mutated)} calls)")
    for change, what in (
        (interview.respondent.last_digits, "only the last digits of answers change"),
        (interview.respondent.late, "one answer came in time only once"),
    ):
        if change is not None:
            first, second = prediction.outcome_text(change.first), prediction.outcome_text(change.second)
            interview.note(f"{what}: {first}, then {second} {change.how}")
    _observe_uncut(interview, reading.versions.members[0], predictor or interview.predictor)
    _observe_precision(interview, reading.versions.members[0])
    _observe_loose(interview, reading.versions.members[0], predictor or interview.predictor)
    _observe_beyond_scale(interview, reading.versions.members[0])
    if not interview.target.measure.is_graded:
        note_labels(interview)


def _observe_uncut(interview: Interview, member: Convention, predictor: prediction.Predictor) -> None:
    """Report what a cutoff that may be left out does where it is left out, if that is not what it does with one."""
    # Of lists without ties, whose order may be a matter of chance, and of grades that all conventions take alike.
    target = interview.target
    may_be_left_out = target.signature.k is Need.OPTIONAL and target.measure.family.cut is Cut.OPTIONAL
    has_several = CUTOFFS in target.signature.packing.split(", ")  # left out, a list of them gives a value of each
    if target.measure.k is None or not may_be_left_out or has_several:
        return
    uncut = replace(target.measure, k=None)
    is_cut = meaningless(uncut, member) is not None  # a denominator that is the cutoff
    shaped = [each for each in map(interview.shaped, random_probes([uncut], _UNCUT)) if each and not each.probe.loose]
    questions = [each for each in shaped if not has_tied_documents(each) and NEGATIVE not in each.features]
    # The lists above are short: a default of 10 shows further down.
    depth = interview.depth_under(uncut)
    ends = (hit_at(rank, depth + 1, uncut) for rank in (depth, depth + 1)) if depth is not None else ()
    questions += filter(None, map(interview.shaped, ends))
    outcomes = interview.respondent.raw([each.call for each in questions])
    pairs = zip(questions, outcomes, strict=False)
    numbers = {each: outcome for each, outcome in pairs if isinstance(outcome, Number | PerQuery)}
    singles = interview.small.singles

    def differing(measure: Measure) -> Iterator[ShapedProbe]:
        """Yield the questions whose answers are not those of a measure."""
        for each, outcome in numbers.items():
            posed = replace(each, probe=replace(each.probe, measure=measure))
            if not prediction.fits(outcome, predictor.predicted(posed, member), singles=singles):
                yield each

    others = len(numbers if is_cut else list(differing(uncut)))
    interview.by_default = uncut if questions and not others and depth is None else None

    def cutoffs() -> Iterator[int | None]:
        yield depth
        # One that stops a document short of its cutoff looks one document less far than the cutoff that it has.
        yield (own := interview.own_cutoff(uncut) if others else None)
        yield target.measure.k if depth or own else None

    for own in (replace(uncut, k=k) for k in cutoffs() if k):
        if not any(differing(own)):
            interview.by_default = own
            interview.note(f"without a cutoff it returns {own}", kind=FindingKind.CUTOFF)
            return
    if others:
        counts = f"{others} of {len(questions)} answers differ"
        interview.note(f"without a cutoff it is not {uncut} under the same convention: {counts}")


def _observe_precision(interview: Interview, member: Convention) -> None:
    """Report numbers that are a convention's but for their last digits: the only thing that is ever said of these."""
    off = [
        roundings_off(outcome.value, enclosing_fraction(expectation.exact))
        for each, outcome in interview.answers.items()
        if isinstance(outcome, Number)
        and isinstance(outcome.value, Fraction)
        and (expectation := interview.predictor.predicted(each, member).expectation) is not None
        and not isinstance(expectation.exact, Undefined)
        and judge(outcome, expectation).verdict is Verdict.IMPRECISE
    ]
    if off:
        interview.note(f"imprecise: {len(off)} answers are off by up to {max(off)} roundings of a double")


def _observe_loose(interview: Interview, member: Convention, predictor: prediction.Predictor) -> None:
    """Report answers to what no convention speaks of, if they are others than one would think."""
    reported: list[frozenset[str]] = []
    questions = [each for each in interview.answers if each.probe.loose] + interview.all.empty_quotients
    for each in sorted(questions, key=lambda each: (len(each.features & _LOOSE), each.probe.size)):
        outcome, words = interview.answers[each], _LOOSE & each.features
        predicted = (one.predicted(each, member) for one in (interview.predictor, predictor))
        if isinstance(outcome, Number | PerQuery) and not any(prediction.fits(outcome, each) for each in predicted):
            if any(words >= before for before in reported):
                continue
            reported.append(words)
            interview.is_exceptional = True
            odd = " and ".join(sorted(words)) or "neither queries nor documents"
            queries = len({*each.qrels, *each.run})
            among = f" among {queries} queries" if queries > 1 else ""
            lists = [(name, got) for name, got in input_data(each.call, each).items() if isinstance(got, list)]
            # An empty list is named already.
            text = "; ".join(f"{name} {' '.join(map(str, got))}" for name, got in lists if all(got for _, got in lists))
            where = f"{odd}{among} ({text})" if text else f"{odd}{among}"
            interview.note(f"given {where}, it returns {prediction.outcome_text(outcome)}")


def _observe_beyond_scale(interview: Interview, member: Convention) -> None:
    """Report what it answers where a grade is beyond the scale, and the oracle demands an error."""
    numbers = [each for each in interview.answers if isinstance(interview.answers[each], Number | PerQuery)]
    beyond = [each for each in numbers if interview.predictor.predicted(each, member).is_beyond_scale]
    if not beyond:
        return
    interview.is_exceptional = True
    usual = [each for each in beyond if "a negative grade" not in each.features and not each.probe.loose]
    alone = [each for each in usual if len({*each.qrels, *each.run}) == 1]
    own = [member.with_setting("err_max_grade", each.highest_grade) for each in alone]
    if alone and all(map(interview.fits, alone, map(interview.answers.__getitem__, alone), own)):
        interview.has_own_scale = True
        interview.note("the highest grade of a query is the end of its scale")
    else:
        answer = prediction.outcome_text(interview.answers[min(beyond, key=lambda each: each.probe.size)])
        interview.note(f"given a grade above {member.err_max_grade}, it returns {answer}")


def note_labels(interview: Interview) -> None:
    """Note what a label of 2 does, which is relevant as a label of 1 is: questions have 0 and 1 alone."""
    questions = sorted(interview.answers, key=lambda each: each.probe.size)
    pairs = [(each.call, interview.answers[each]) for each in questions]
    interview.labels = label_of_two(pairs, interview.respondent.raw)
    if interview.labels:
        interview.note(interview.labels, first=True)


def result(
    interview: Interview,
    status: Status,
    versions: Versions,
    groups: Sequence[Class],
    unrefuted: Sequence[Versions] = (),
) -> Identification:
    """Report conventions axis by axis; with the settings of others for which they stand."""
    space = interview.space
    every = (versions, *(each for each in unrefuted if each.members))
    values = {
        axis: [setting for setting in settings if any(setting in each.values(axis) for each in every)]
        for axis, settings in space.settings.items()
    }
    if space.coincide:
        values["no_hits"] = list(AXES["no_hits"].values or ())
    if interview.has_own_scale:
        values["err_max_grade"] = []
    representatives = [each[0] for each in groups]
    used = set().union(*map(space.measure.axes, versions.members))
    unused = tuple(axis for axis in values if axis not in space.settings or axis not in used)
    several = (axis for axis in space.settings if len({getattr(member, axis) for member in representatives}) > 1)
    open_axes = tuple(axis for axis in several if axis not in unused)
    axes = {axis: tuple(map(setting_text, values[axis])) for axis in AXES if axis in values}
    classes, texts = tuple(groups), _texts(interview, groups)
    return base(interview, status, axes=axes, open_axes=open_axes, unused=unused, classes=classes, texts=texts)


def _texts(interview: Interview, groups: Sequence[Class]) -> tuple[str, ...]:
    """Write the conventions, those first that have a name."""
    # A library's profile is no name for what another library does. A user's function has none, and may follow any.
    measure, declared = interview.space.measure, interview.target.hello.convention
    adapter = interview.target.name.partition("==")[0]
    own = {declared, adapter}
    members = [each[0] for each in groups] + [member for each in groups for member in each[1:]]
    profiles = [
        each
        for each in PROFILES.values()
        if each.knows(measure)
        and (not each.is_library or declared is None or not own.isdisjoint({each.name, each.name.rpartition("-")[0]}))
    ]

    def is_followed(profile: Profile) -> bool:
        own = profile.convention
        return any(all(getattr(own, axis) == getattr(each, axis) for axis in measure.axes(each)) for each in members)

    names = [each.name for each in profiles if is_followed(each)]
    by_convention = {profile.convention: profile.name for profile in reversed(profiles)}
    names += [by_convention.get(member) or differences_text(member) for member in members]
    return tuple(dict.fromkeys(f"{measure} under {name}" for name in names))[:_MOST_TEXTS]


def base(interview: Interview, status: Status, **fields: object) -> Identification:
    """Report what is true of every finding."""
    plain = Identification(
        interview.target.name,
        interview.target.hello.version,
        interview.target.signature.form.value,
        interview.target.measure,
        status,
        not_observable=interview.space.not_observable,
        findings=tuple(interview.findings),
        is_exceptional=interview.is_exceptional,
        is_measure_assumed=interview.is_measure_assumed and not says_average_precision(interview.target.name),
        by_default=interview.by_default,
        labels=interview.labels,
        calls=interview.respondent.calls,
        answered=interview.answered,
        hello=replace(interview.target.hello, numpy_features=interview.respondent.hello.numpy_features),
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


def failed(interview: Interview, evidence: Evidence) -> Identification:
    """Report that there are no numbers."""
    reasons = {prediction.outcome_text(outcome): None for outcome in evidence.answers.values()}
    interview.note(*(f"no number returned: {reason}" for reason in list(reasons)[:3]))
    if not evidence.answers:
        return base(interview, Status.FAILED)
    question, outcome = next(iter(evidence.answers.items()))
    return base(interview, Status.FAILED, witness=Counterexample.of(question, outcome, "a number"))


def observe_errors(interview: Interview, reading: Reading) -> None:
    """Note on which of the larger inputs it fails, but for those that have a feature that it refuses anyway."""
    refused, long = set(reading.refusals), reading.long
    failing = [each for each in interview.related if is_error(interview.answers[each]) and not each.features & refused]
    if reading.versions.members:
        convention = reading.versions.members[0]
        demanded = {Undefined.ERROR, 0} if VALUE_OF_ZERO in refused else {Undefined.ERROR}
        failing = [each for each in failing if interview.predictor.predicted(each, convention).value not in demanded]
    interview.is_exceptional |= bool(failing or long)
    kinds: dict[str, list[str]] = {}
    for each in failing:
        relation = interview.related[each]
        if not relation.size:
            kinds.setdefault(prediction.failure_text(interview.answers[each]), []).append(relation.family)
    interview.note(*(f"{kind} for {', '.join(dict.fromkeys(families))}" for kind, families in kinds.items()))
    by_size = {each: interview.related[each].size for each in failing if interview.related[each].size}
    if not by_size:
        if long:
            shortest = min(long, key=lambda each: each.longest)
            kind = prediction.failure_text(interview.answers[shortest])
            interview.note(f"{kind} for lists of {shortest.longest} documents or more")
        return
    smallest = min(by_size, key=by_size.__getitem__)
    family = interview.related[smallest].family
    works = 1  # a list of one document tells nothing of sizes
    breaks = min([by_size[smallest], *(each.longest for each in long)])
    while breaks - works > 1:
        middle = (works + breaks) // 2
        shorter = interview.shaped(sized(family, middle, smallest.probe.measure).probe)
        outcomes = () if shorter is None else interview.respondent.raw([shorter.call])
        if not outcomes or is_unanswered(outcomes[0]):
            break
        if is_error(outcomes[0]):
            breaks = middle
        else:
            works = middle
    every = all(is_error(interview.answers[each]) for each, one in interview.related.items() if one.size >= breaks)
    what = "lists" if every else family
    interview.note(f"{prediction.failure_text(interview.answers[smallest])} for {what} of {breaks} documents or more")


def weights_findings(interview: Interview) -> Iterator[Finding]:
    """Yield what each parameter of weights does, or that it was left at its default where that is nothing known."""
    # Those of documents say how often each is there, those of queries are of a mean. Both are held against the
    # implementation itself, asked the same without weights, whatever convention it follows.
    is_list = interview.target.signature.shape in _OF_ONE_LIST
    for name in (each for each, _ in interview.target.signature.parameters if each in WEIGHTS):
        if not _follows_weights(interview, name, _LISTS if is_list else _PAIRS):
            yield Finding(f"{name} was left at its default: it follows no known rule")
        elif is_list:
            yield Finding(f"it takes {name} as weights of documents: one of weight 2 counts as two of its score")
        else:
            yield Finding(f"it takes {name} as weights of queries in the mean")


def _unweighted(interview: Interview, lists: Sequence[Sequence[tuple[int, int]]]) -> ShapedProbe | None:
    queries = {f"q{number}": list(enumerate(documents)) for number, documents in enumerate(lists)}
    qrels = {query: {f"d{place}": label for place, (label, _) in documents} for query, documents in queries.items()}
    run = {query: [(f"d{place}", score) for place, (_, score) in documents] for query, documents in queries.items()}
    return interview.shaped(Probe("weights", interview.target.measure, Qrels.of(qrels), Run.of(run)))


def _follows_weights(interview: Interview, name: str, examples: Sequence[_Weighted]) -> bool:
    """Tell whether every answer with weights is that without, and some show that the weights are not ignored."""
    matters = False
    for lists, weights in examples:
        scored = [[(label, len(labels) - place) for place, label in enumerate(labels)] for labels in lists]
        # One list is asked with each document as often as it weighs, a pair query by query: the mean is the answer.
        parts = scored if len(lists) > 1 else [in_copies(scored[0], weights)]
        shaped = [_unweighted(interview, each) for each in (scored, *([each] for each in parts))]
        calls = [each.call for each in shaped if each is not None]
        if len(calls) < len(shaped):
            return False
        # As pairs, for a message has no list of numbers among a measure's parameters.
        weighted = (*calls[0].parameters, (name, tuple((place, float(each)) for place, each in enumerate(weights))))
        answers = map(prediction.numbers_of, interview.respondent.raw([replace(calls[0], parameters=weighted), *calls]))
        of_whole, unweighted, *of_parts = (float(each[0]) if len(each) == 1 else math.nan for each in answers)
        shares = weights if len(of_parts) > 1 else (1,)
        mean = sum(share * value for share, value in zip(shares, of_parts, strict=True)) / sum(shares)
        if not math.isclose(of_whole, mean, rel_tol=_SAME, abs_tol=_SAME):
            return False
        matters |= not math.isclose(of_whole, unweighted, rel_tol=_SAME, abs_tol=_SAME)
    return matters


def own_cutoff(interview: Interview) -> int | None:
    """Return a cutoff that an implementation without a parameter for it has by itself, if that explains all."""
    evidence = interview.all
    if interview.target.measure.family.cut is not Cut.OPTIONAL or (k := interview.effective_depth) is None:
        return None
    measure = replace(interview.target.measure, k=k)
    space = space_of(measure, interview.target.signature, one_mean=interview.one_mean)
    cut = {each: replace(each, probe=replace(each.probe, measure=measure)) for each in evidence.numbers}
    singles, quick = evidence.singles, [each for each in evidence.numbers if interview.is_quick(each)]

    def is_right(each: ShapedProbe, member: Convention) -> bool:
        is_known = interview.is_feasible(each, member)
        return not is_known or interview.fits(cut[each], evidence.answers[each], member, singles=singles)

    with suppress(prediction.OverBudgetError), interview.predictor.effort.within():
        return k if narrowed(Versions.all_of(space), quick, is_right).members else None
    return None
