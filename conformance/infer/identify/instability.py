"""Where an answer does not stay the same: what it changes with, the smallest calls that show it, and all the rest.

What chance decides is set apart, tied documents in no fixed order as well, and the rest is read as if that had not been
asked. State can't spoil the first call of a process, so first calls are asked. Budgets count processes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, groupby, permutations, product
from math import factorial, prod
from typing import TYPE_CHECKING

from rankspec.conformance.checks import stability
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.infer.identify import conclusions
from rankspec.conformance.infer.identify.conclusions import Counterexample, Identification, Status
from rankspec.conformance.infer.interview.evidence import Evidence, nearest, with_errors
from rankspec.conformance.infer.interview.interview import Finding, FindingKind, Interview
from rankspec.conformance.infer.interview.prediction import OverBudgetError, Predictor, fits, has_repeats, outcome_text
from rankspec.conformance.infer.interview.probe import ShapedProbe, has_tied_documents
from rankspec.conformance.infer.interview.relations import list_of_hits
from rankspec.conformance.infer.interview.respondent import SAME_ARGUMENTS, ChangedAnswer
from rankspec.conformance.infer.interview.version_space import Versions, narrowed, narrowed_within
from rankspec.conformance.judge.agreement import agrees, bound_of, lies_between
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED
from rankspec.conformance.run.limits import Halted
from rankspec.conformance.run.outcomes import Malformed, NotCalled, Number, Outcome, PerQuery, is_unanswered
from rankspec.oracle.conventions.axes import ScorePrecision, Ties
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Retrieved, Run, Score, as_float32, as_float64
from rankspec.oracle.language.expression import expression_text
from rankspec.oracle.rankings.ranking import is_relevant

if TYPE_CHECKING:
    from rankspec.conformance.infer.mistakes.search import MistakeFit

_MOST_CHANGES = 20  # Twenty changed answers tell chance from state, in three processes
_OFTEN = 16  # So often a call is repeated that chance may answer
_SHRINKING = 400  # As many calls as a counterexample is made smaller with
_PAIRS, _PAIRS_OF_COSTLY = 40, 12  # So many smaller inputs are tried for each of two calls, in two new processes each
PairAndQuestion = tuple[stability.MinimalPair, ShapedProbe]  # A pair, and the input of its last call
_FIRST_CALLS, _FIRST_CALLS_OF_COSTLY = 32, 24
"""New processes that are asked one question each: planted functions take 5 to 9 of them, jurity 15."""
_UNCHOSEN = 4  # So many are asked before the answers choose the next question
_CHOSEN = 60  # Out of so many of the first questions, which tell most, the next one is chosen
_MOST_COMPARED = 40  # So many conventions a question is chosen by: enough to see which one divides them
_TIED = "tied scores"
_BY_CHANCE = "is random: it changes when the same call is repeated"
_BY_SEED = "depends on PYTHONHASHSEED, as if documents passed through a set"
Settled = Callable[[Interview], Identification]  # Reads what an interview has been answered, where that stays the same


def cause_of(interview: Interview) -> stability.Cause | None:
    """Return what answers change with; None if that can't be told, for want of new processes."""
    respondent = interview.respondent
    if all(change.how == SAME_ARGUMENTS for change in respondent.changes):
        return stability.Cause.CHANGED_ARGUMENTS
    by_size = sorted(respondent.changes, key=lambda change: change.question.probe.size)
    puts = list(dict.fromkeys(change.question for change in by_size))[:_MOST_CHANGES]
    replies = [_afresh(interview, puts, seed) for seed in (FIRST_SEED, FIRST_SEED, SECOND_SEED)]
    first, again, elsewhere = replies
    if first is None or again is None or elsewhere is None:
        return None
    if not _all_agree(puts, first, again):
        return stability.Cause.CHANCE
    return stability.Cause.EARLIER_CALL if _all_agree(puts, first, elsewhere) else stability.Cause.HASH_SEED


def _afresh(interview: Interview, puts: Sequence[ShapedProbe], seed: str = FIRST_SEED) -> tuple[Outcome, ...] | None:
    """Return what is answered in a new process; None if there is none, or it was lost."""
    connectable = interview.respondent.connectable
    if not connectable.is_fresh or connectable.halt.reason:
        return None
    try:
        with connectable.connect(seed) as connection:
            report = connection.ask([each.call for each in puts])
    except (ImportFailure, Halted):
        return None
    return None if report.incidents or any(map(is_unanswered, report.outcomes)) else report.outcomes


def minimal_pair_of(interview: Interview, cause: stability.Cause, change: ChangedAnswer) -> PairAndQuestion | None:
    """Return the smallest pair found that shows that an answer changes."""
    if cause is stability.Cause.EARLIER_CALL:
        return _from_histories(interview, change)
    # The input is made small as long as one call of it has two answers.
    two = _spoilt if cause is stability.Cause.CHANGED_ARGUMENTS else _differing
    smaller = conclusions.smallest(change.question, interview.shaped, lambda puts: two(interview, puts), _SHRINKING)
    question, answers = smaller or (change.question, (change.first, change.second))
    return stability.MinimalPair(cause, _named_call(question), None, *answers), question


def _differing(interview: Interview, puts: Sequence[ShapedProbe]) -> list[tuple[Outcome, Outcome] | None]:
    """Return two answers of each call, None where all are alike: asked often, under both hash seeds."""
    replies = interview.respondent.both([each.call for each in puts for _ in range(_OFTEN)])
    differing: list[tuple[Outcome, Outcome] | None] = []
    for place, each in enumerate(puts):
        both = (outcome for answers in replies for outcome in answers[place * _OFTEN : (place + 1) * _OFTEN])
        outcomes = [outcome for outcome in both if not is_unanswered(outcome)]
        other = next((outcome for outcome in outcomes if not _agrees(each, outcomes[0], outcome)), None)
        differing.append(None if other is None else (outcomes[0], other))
    return differing


def _spoilt(interview: Interview, puts: Sequence[ShapedProbe]) -> list[tuple[Outcome, Outcome] | None]:
    """Ask each call, and once more with the same arguments where it changed them."""
    return [
        None if second is None or agrees(first, second, bound_of(each.call)) else (first, second)
        for each, (first, second) in zip(puts, interview.respondent.twice(puts), strict=True)
    ]


def _from_histories(interview: Interview, change: ChangedAnswer) -> PairAndQuestion | None:
    """Return the pair that a search in the order of the calls finds: the inputs are as large as they were."""
    histories = interview.respondent.histories
    sightings = []
    for history, seed in ((histories[1], SECOND_SEED), (histories[0], FIRST_SEED)):
        places = [place for place, (each, _) in enumerate(history or []) if each is change.question]
        if history is not None and places:
            before = tuple(_named_call(each) for each, _ in history[: places[-1]])
            sightings.append(stability.Sighting(history[places[-1]][1], before, seed))
    laboratory = stability.Laboratory(interview.respondent.connectable)
    try:
        pair = stability.find_pair(laboratory, _named_call(change.question), sightings)
    except (stability.SpentError, ImportFailure, Halted):
        return None
    return None if pair is None else _shrunk_pair(interview, pair, change.question)


def _shrunk_pair(interview: Interview, pair: stability.MinimalPair, question: ShapedProbe) -> PairAndQuestion:
    """Make the last call small, then the earlier one, as long as the answer after it is not that of a first call."""
    known = (each for history in interview.respondent.histories for each, _ in history or ())
    other = next((each for each in known if pair.other is not None and each.call == pair.other.call), None)
    if other is None or pair.more or other is question:
        return pair, question
    alone: dict[ShapedProbe, Outcome] = {}

    def pair_of(before: ShapedProbe, after: ShapedProbe) -> stability.MinimalPair | None:
        both = _afresh(interview, [before, after])
        if both is not None and after not in alone and (reply := _afresh(interview, [after])) is not None:
            alone[after] = reply[0]
        if both is None or after not in alone or _agrees(after, alone[after], both[1]):
            return None
        calls = _named_call(after), _named_call(before)
        return stability.MinimalPair(stability.Cause.EARLIER_CALL, *calls, alone[after], both[1])

    most = _PAIRS_OF_COSTLY if interview.respondent.connectable.is_costly else _PAIRS
    last = conclusions.smallest(question, interview.shaped, lambda puts: (pair_of(other, each) for each in puts), most)
    question, pair = last or (question, pair)
    first = conclusions.smallest(other, interview.shaped, lambda puts: (pair_of(each, question) for each in puts), most)
    return (first[1] if first else pair), question


def _named_call(question: ShapedProbe) -> stability.NamedCall:
    return stability.NamedCall(question.probe.name, question.call)


def _agrees(question: ShapedProbe, first: Outcome, second: Outcome) -> bool:
    return agrees(first, second, bound_of(question.call))


def _all_agree(puts: Sequence[ShapedProbe], first: Sequence[Outcome], second: Sequence[Outcome]) -> bool:
    return all(_agrees(each, one, other) for each, one, other in zip(puts, first, second, strict=True))


def unstable(interview: Interview, settled: Settled) -> Identification:
    """Report that answers changed, with what, and what the others say."""
    change = interview.respondent.change
    if change is None:
        raise RuntimeError("nothing changed")
    cause = cause_of(interview)
    shrunk = None if cause is None else minimal_pair_of(interview, cause, change)
    if cause is stability.Cause.CHANGED_ARGUMENTS:
        clause = "it changes its arguments, so a second call with them returns another value"
        identification = settled(interview)
        is_good = identification.is_good
        identification = replace(_except(identification, clause) if is_good else identification, explained=is_good)
    elif cause is stability.Cause.EARLIER_CALL:
        identification = _first_calls(interview)
    else:
        identification = _rest(interview, settled, _BY_SEED if cause is stability.Cause.HASH_SEED else _BY_CHANCE)
    words = f"it returns {outcome_text(change.first)}, then {outcome_text(change.second)} {change.how}"
    question, first, second, pair = change.question, change.first, change.second, None
    if shrunk is not None:
        pair, words = shrunk[0], _words(shrunk[0])
        if pair.alone is not None and pair.after is not None:
            question, first, second = shrunk[1], pair.alone, pair.after
    findings = list(identification.findings)
    follows_rule = bool(findings) and findings[0].kind in {FindingKind.EXCEPTION, FindingKind.SUMMARY}
    findings.insert(int(follows_rule), Finding(words))
    witness, calls = Counterexample.of(question, first, outcome_text(second)), interview.respondent.calls
    status, lines = Status.UNSTABLE, tuple(findings)
    return replace(identification, status=status, findings=lines, witness=witness, pair=pair, calls=calls)


def _words(pair: stability.MinimalPair) -> str:
    """Say what was seen; the calls of an identification have no names."""
    if pair.cause is not stability.Cause.EARLIER_CALL or pair.other is None:
        return pair.text
    if pair.other.call != pair.call.call:
        after = f"another call and {pair.more} more" if pair.more else "another call"
    else:
        after = f"the same call {pair.more + 1} times" if pair.more else "the same call"
    alone_words, after_words = stability.words_of(pair.alone), stability.words_of(pair.after)
    return f"after {after} it returns {after_words}; as the first call of a process it returns {alone_words}"


def _except(identification: Identification, clause: str) -> Identification:
    """Report that it follows a convention, except for something."""
    measure, classes = identification.measure, identification.classes
    text = identification.texts[0] if identification.texts else expression_text(measure, classes[0][0])
    return replace(identification, explained=True, findings=(Finding.exception(text, clause), *identification.findings))


def _first_calls(interview: Interview) -> Identification:
    """Report what first calls follow."""
    versions, count = _of_first_calls(interview, Versions.all_of(interview.space))
    if not versions.members or not count:
        unexplained = conclusions.base(interview, Status.UNSTABLE)
        return _summary(unexplained, "no known convention matches the first calls of new processes")
    groups = interview.classes(versions.complete(conclusions.MOST_MEMBERS) or versions.members)
    identification = conclusions.result(interview, Status.UNSTABLE, versions, groups)
    text = expression_text(interview.space.measure, identification.classes[0][0])
    words = f"the first call of each process matches {text} ({count} tried); no known rule explains later calls"
    return _summary(identification, words)


def _summary(identification: Identification, words: str) -> Identification:
    return replace(identification, findings=(Finding(words, FindingKind.SUMMARY), *identification.findings))


def _of_first_calls(interview: Interview, versions: Versions) -> tuple[Versions, int]:
    """Return the conventions that explain first calls, and how many were asked: until none tells them apart."""
    first: dict[ShapedProbe, Outcome] = {}
    quick = [each for each in interview.answers if not each.probe.loose and interview.is_quick(each)]
    tied = [each for each in quick if _has_ties(each)][:_CHOSEN]
    waiting = [each for each in quick if not _has_ties(each)][:_CHOSEN]
    plain = waiting[:: max(1, len(waiting) // _UNCHOSEN)]
    for _ in range(_FIRST_CALLS_OF_COSTLY if interview.respondent.connectable.is_costly else _FIRST_CALLS):
        each = plain.pop() if plain else _most_informative(interview, versions, waiting)
        if each is None:
            each = _most_informative(interview, versions, tied)
        reply = None if each is None else _afresh(interview, [each])
        if each is None or reply is None or not versions.members:
            break
        (tied if _has_ties(each) else waiting).remove(each)
        first[each] = reply[0]
        evidence = Evidence(dict(first))
        numbers = [each] if each in evidence.numbers else []
        fitting = narrowed(versions, numbers, lambda each, member: interview.fits(each, first[each], member))
        left = with_errors(fitting, evidence, interview.predictor).versions
        if left.members or not _has_ties(each):
            versions = left
        else:
            tied.clear()
            del first[each]
            interview.note("tied documents are in no known order")
    return versions, len(first)


def _most_informative(interview: Interview, versions: Versions, waiting: Sequence[ShapedProbe]) -> ShapedProbe | None:
    """Return the question to which the conventions that are left demand the most answers; None if they agree on all."""
    members = versions.complete(conclusions.MOST_MEMBERS)
    if members is None:
        growing = [each for each in waiting if versions.growth(each) > 1]
        return min(growing, key=versions.growth, default=None)
    some = members[:: max(1, len(members) // _MOST_COMPARED)]

    def answers(each: ShapedProbe) -> int:
        demanded = (interview.predictor.predicted(each, member) for member in some)
        return len({predicted.answer(one_mean=interview.one_mean) for predicted in demanded})

    best = max(waiting, key=answers, default=None)
    return best if best is not None and answers(best) > 1 else None


def _rest(interview: Interview, settled: Settled, why: str) -> Identification:
    """Set apart what chance, or the hash seed, has a part in, and report what the rest follows."""
    for whole, which in ((False, "tied documents"), (True, "the documents")):
        identification = _apart(interview, settled, f"the order of {which} {why}", whole=whole)
        if identification is not None:
            return identification
    return _unchanged(interview, settled)


def _apart(interview: Interview, settled: Settled, clause: str, *, whole: bool) -> Identification | None:
    """Set apart all inputs on which an order matters; None if that does not explain what was answered to them."""
    changes = {change.question: change for change in interview.respondent.changes}
    matters = has_mixed_list if whole else _has_ties
    aside = {each: outcome for each, outcome in interview.answers.items() if matters(each)}
    if not changes.keys() <= aside.keys():
        return None
    before = list(interview.findings)
    relations = interview.leave_out(aside)
    identification = settled(interview)
    both = [*aside.items(), *((each, change.second) for each, change in changes.items())]
    members = []
    if identification.classes and identification.is_good and not identification.deviations:
        member = identification.classes[0][0]
        # A list with a copy was set apart with all the others, so every rule for duplicates is possible.
        rules = interview.space.settings.get("duplicates", (member.duplicates,))
        members = [member.with_setting("duplicates", rule) for rule in rules]
    orders = Orders(interview.predictor, whole=whole)
    for each, outcome in both:
        if not each.probe.loose and not isinstance(outcome, NotCalled):
            members = [every for every in members if orders.give(each, outcome, every)]
    if members:
        axes = {axis: values for axis, values in identification.axes.items() if axis != "ties"}
        if "duplicates" in axes:
            axes["duplicates"] = tuple(dict.fromkeys(setting_text(every.duplicates) for every in members))
        return _except(replace(identification, axes=axes), clause)
    interview.take_back(aside, relations)
    interview.findings = before
    return None


def _has_ties(question: ShapedProbe) -> bool:
    return _TIED in question.features


def _unchanged(interview: Interview, settled: Settled) -> Identification:
    """Report what the answers follow that did not change, which may be so by accident."""
    changed = dict.fromkeys(change.question for change in interview.respondent.changes)
    count = len(interview.answers)
    interview.leave_out(changed)
    words = f"{len(changed)} of {count} answers changed"
    if 2 * len(changed) >= count or not any(isinstance(each, Number | PerQuery) for each in interview.answers.values()):
        return _summary(conclusions.base(interview, Status.UNSTABLE), words)
    identification = settled(interview)
    if identification.texts and not identification.deviations:
        words += f"; the others match {identification.texts[0]}"
    return _summary(replace(identification, explained=False, nearest=None), words)


_MOST_ORDERS = 720
"""6!: six tied documents; of more it is asked whether an answer lies between the worst order and the best."""

_COMPARED: Mapping[ScorePrecision, Callable[[Score], Score]] = {
    ScorePrecision.EXACT: lambda score: score,
    ScorePrecision.FLOAT64: as_float64,
    ScorePrecision.FLOAT32: as_float32,
}

_FEW = 8  # Inputs with ties that are asked again in another order, or with other names: one that changes says enough
_BUDGET = 400_000  # In predictions. The four commonest APs of numpy take 20,000 to 60,000.


def has_mixed_list(question: ShapedProbe) -> bool:
    """Tell whether the order of a list can matter: it has hits and misses, or several grades, or documents twice."""
    for query in question.run:
        grades = question.qrels.grades(query)
        docnos = [docno for docno, _ in question.run.documents(query)]
        labels = {is_relevant(grades.get(docno), question.measure.rel) for docno in docnos}
        if len(labels) > 1 or len({grades.get(docno) for docno in docnos}) > 1 or len({*docnos}) < len(docnos):
            return True
    return False


class Orders:
    """Every order of the tied documents of an input, or of whole lists, and what a convention demands of each.

    Documents are tied whose scores are equal at the precision of the convention.
    """

    def __init__(self, predictor: Predictor, *, whole: bool = False, singles: bool = False) -> None:
        """Form no order yet; with `whole`, all documents of a list are tied."""
        self._predictor = predictor
        self._whole = whole
        self._singles = singles
        self._formed: dict[tuple[ShapedProbe, ScorePrecision], list[ShapedProbe] | None] = {}

    def count(self, question: ShapedProbe, member: Convention) -> int:
        """Return how many orders there are."""
        return prod(factorial(len(block)) for each in self._blocks(question, member).values() for block in each)

    def give(self, question: ShapedProbe, outcome: Outcome, member: Convention) -> bool:
        """Tell whether some order gives an answer."""
        # Where there are too many orders, it must lie between the values of the worst one and the best one.
        key = question, member.score_precision
        if key not in self._formed:
            self._formed[key] = self._form(question, member)
        orders = self._formed[key]
        if orders is None:
            if self._whole:
                tied = {query: [(docno, 1) for docno, _ in question.run.documents(query)] for query in question.run}
                question = replace(question, run=Run.of(tied))
            ends = [member.with_setting("ties", rule) for rule in (Ties.PESSIMISTIC, Ties.OPTIMISTIC)]
            if any(meaningless(question.measure, end) is not None for end in ends):
                return False
            low, high = (self._predictor.predicted(question, end) for end in ends)
            return lies_between(outcome, low, high)
        plain = member.with_setting("ties", Ties.INPUT_ORDER)
        return any(fits(outcome, self._predictor.predicted(each, plain), singles=self._singles) for each in orders)

    def _blocks(self, question: ShapedProbe, member: Convention) -> dict[str, list[list[Retrieved]]]:
        """Return the tied documents of each query, the best ones first."""
        lists = {query: list(question.run.documents(query)) for query in question.run}
        if self._whole:
            return {query: [documents] for query, documents in lists.items()}
        compared = _COMPARED[member.score_precision]

        def level(document: Retrieved) -> Score:
            return compared(document.score)

        return {
            query: [list(block) for _, block in groupby(sorted(documents, key=level, reverse=True), key=level)]
            for query, documents in lists.items()
        }

    def _form(self, question: ShapedProbe, member: Convention) -> list[ShapedProbe] | None:
        """Return the input in each order that puts other grades at the ranks; None if there are too many orders."""
        if self.count(question, member) > _MOST_ORDERS:
            return None
        lists = []
        for query, blocks in self._blocks(question, member).items():
            grades = question.qrels.grades(query)
            twice = has_repeats(question.run.documents(query))
            arrangements: dict[object, list[Retrieved]] = {}
            for chosen in product(*map(permutations, blocks)):
                documents = [document for block in chosen for document in block]
                labels = tuple(each.docno if twice else grades.get(each.docno) for each in documents)
                arrangements.setdefault(labels, documents)
            lists.append([(query, documents) for documents in arrangements.values()])
        ranked = (
            {query: [(docno, len(ids) - place) for place, (docno, _) in enumerate(ids)] for query, ids in chosen}
            for chosen in product(*lists)
        )
        return [replace(question, run=Run.of(each)) for each in ranked]


def _order_of_ties(interview: Interview) -> str:
    """Say what was seen of the order of ties: whether it is the same each time, and what decides it."""
    same = "another each time" if interview.respondent.changes else "the same each time"
    if Ties.DOCNO_ASCENDING not in interview.space.settings["ties"]:
        return f"{same}; neither that of the input nor its reverse"
    if _is_invariant(interview, _reversed):
        return f"{same}; a function of the ids"
    if _is_invariant(interview, _renamed):
        return f"{same}; a function of the order of the input"
    return f"{same}; a function neither of the ids nor of the order of the input alone"


def _is_invariant(interview: Interview, changed: Callable[[ShapedProbe], ShapedProbe]) -> bool:
    """Tell whether lists with ties are worth the same in another order of the input, or with other names."""
    tied = [each for each in interview.all.numbers if each not in interview.related and has_tied_documents(each)]
    tied = sorted((each for each in tied if has_mixed_list(each)), key=lambda each: -each.probe.size[1])[:_FEW]
    others = [(each.probe, changed(each)) for each in tied]
    puts = [interview.shaped(replace(probe, run=other.run, qrels=other.qrels)) for probe, other in others]
    outcomes = interview.respondent.raw([each.call for each in puts if each is not None])
    return list(outcomes) == [interview.answers[each] for each in tied]


def _reversed(question: ShapedProbe) -> ShapedProbe:
    return replace(question, run=Run.of({query: question.run.documents(query)[::-1] for query in question.run}))


def _renamed(question: ShapedProbe) -> ShapedProbe:
    """Give the documents each other's names, in the reverse of their order."""
    lists = {query: question.run.documents(query) for query in question.run}
    grades = {query: question.qrels.grades(query) for query in question.qrels}
    names = sorted({*chain(*grades.values()), *(docno for documents in lists.values() for docno, _ in documents)})
    other = dict(zip(names, reversed(names), strict=True))
    run = Run.of({query: [(other[docno], score) for docno, score in documents] for query, documents in lists.items()})
    qrels = {query: {other[docno]: grade for docno, grade in graded.items()} for query, graded in grades.items()}
    return replace(question, run=run, qrels=Qrels.of(qrels))


def unordered_ties(interview: Interview) -> Identification | None:
    """Report the conventions that fit apart from ties; None where some answer is that of no order of the ties."""
    versions = versions_apart_from_ties(interview)
    if versions is None:
        return None
    reading = with_errors(versions, interview.small, interview.predictor)
    if reading.contradictions:
        return None
    unordered = f"{conclusions.UNORDERED_TIES} ({_order_of_ties(interview)})"
    interview.note(unordered, first=True)
    conclusions.observe_errors(interview, reading)
    identification = conclusions.identified(interview, reading)
    return replace(identification, axes={**identification.axes, "ties": ()}, deviations=(unordered,))


def versions_apart_from_ties(interview: Interview) -> Versions | None:
    """Return the conventions that give each number in some order of its ties; None where there is none."""
    # An order that has a name is for others to find: this explains each of them as well.
    versions = _apart_from_ties(interview, interview.predictor)
    if versions is None or not with_errors(versions, interview.small, interview.predictor).versions.members:
        return None
    is_named = _is_an_order_of_docnos(interview, versions) or _ties_close_scores(interview, versions)
    return None if is_named else versions


def _ties_close_scores(interview: Interview, versions: Versions) -> bool:
    """Tell whether ties are in an order that has a name once scores that are close are ties, too."""
    from rankspec.conformance.infer.mistakes.table import CLOSE_SCORES

    predictors = [close.predictor(interview.predictor) for close in CLOSE_SCORES]
    far = [each for each in interview.all.numbers if not any(predictor.touches(each) for predictor in predictors)]
    with suppress(OverBudgetError):
        if not _in_a_named_order(interview, versions, interview.predictor, far).members:
            return False
    for predictor in predictors:
        versions_of_close = _apart_from_ties(interview, predictor)
        if versions_of_close is not None and versions_of_close.members:
            with suppress(OverBudgetError):
                if _in_a_named_order(interview, versions_of_close, predictor).members:
                    return True
    return False


def nonpositive_explanation(interview: Interview) -> MistakeFit | None:
    """Return what explains all, or all but ties, where scores of 0 or less are treated in a way of their own."""
    # Documents with names may be in an order of names that nobody thought of, so nothing is said of these.
    from rankspec.conformance.infer.mistakes.search import MistakeFit
    from rankspec.conformance.infer.mistakes.table import NOT_POSITIVE

    if Ties.DOCNO_ASCENDING in interview.space.settings.get("ties", ()):
        return None
    for loss in NOT_POSITIVE:
        predictor = loss.predictor(interview.predictor)
        versions = _apart_from_ties(interview, predictor)
        if versions is None or not versions.members:
            continue
        try:
            ordered = _in_a_named_order(interview, versions, predictor)
        except OverBudgetError:
            continue
        if ordered.members:
            return MistakeFit(loss, predictor, ordered, is_whole=True)
        return and_ties(interview, MistakeFit(loss, predictor, versions, is_whole=True))
    return None


def and_ties(interview: Interview, explained: MistakeFit) -> MistakeFit:
    """Return what explains the answers apart from ties with these in no fixed order."""
    from rankspec.conformance.infer.mistakes.mistake import Mistake

    mistake = explained.mistake
    ties = Mistake("ties", f"{conclusions.UNORDERED_CLAUSE} ({_order_of_ties(interview)})", mistake.predictor)
    words, parts = f"{ties.words}; {mistake.words}", mistake.components or (mistake,)
    both = replace(mistake, name=f"ties and {mistake.name}", words=words, components=(ties, *parts))
    return replace(explained, mistake=both, unrefuted=(), is_unordered=True)


def explanation_apart_from_ties(interview: Interview) -> tuple[MistakeFit | None, int | None]:
    """Return what explains all answers to lists without ties, and when the search ended, as for all of them."""
    from rankspec.conformance.infer.mistakes.search import explanation

    answers = interview.all.answers
    untied = Evidence({each: answers[each] for each in answers if not has_tied_documents(each)})
    near = nearest(interview.space, untied, interview.predictor, interview.is_feasible)
    if near is None or not near.parting:
        return None, None
    explained, stopped = explanation(interview, untied, near)
    return None if explained is None else and_ties(interview, explained), stopped


def has_unordered_ties(interview: Interview) -> bool:
    """Tell whether documents of equal scores that have no names are in an order of chance."""
    # A value is then that of no order with a name, and another one once the list is turned round.
    rules = interview.space.settings.get("ties", ())
    if not rules or Ties.DOCNO_ASCENDING in rules:
        return False
    # Hits in the first ten are few numbers, alike by chance in several orders: two large blocks show more of these.
    for levels, length in product((5, 2), (21, 33, 47, 101)):
        hits = [place for place in range(length) if place**2 % 11 in (1, 4, 9)]  # no list is its own mirror image
        plain = list_of_hits(f"{levels} ties in turn", length, hits, interview.target.measure)
        tied = [(docno, place % levels) for place, (docno, _) in enumerate(plain.run.documents("q"))]
        orders = [sorted(order, key=lambda each: -each[1]) for order in (tied, tied[::-1])]
        untied = [[(docno, length - place) for place, (docno, _) in enumerate(order)] for order in orders]
        probes = [replace(plain, run=Run.of({"q": order})) for order in (tied, tied[::-1], *untied, untied[0][::-1])]
        puts = [each for each in map(interview.shaped, probes) if each is not None]
        of_tied, *others = interview.respondent.raw([each.call for each in puts]) or [Malformed("")]
        if isinstance(of_tied, Number):
            same = partial(agrees, bound=bound_of(puts[0].call))
            is_sorted = same(others[1], others[3])  # both are one list
            if is_sorted and not any(same(of_tied, each) for each in others):
                return True
    return False


def _in_a_named_order(
    interview: Interview, versions: Versions, predictor: Predictor, questions: Sequence[ShapedProbe] | None = None
) -> Versions:
    """Return the conventions that fit with a named order of ties; `OverBudgetError` if nobody knows."""
    evidence = interview.all
    rules = interview.space.settings["ties"]
    ordered = (member.with_setting("ties", rule) for member in versions.members for rule in rules)
    members = [each for each in ordered if meaningless(interview.space.measure, each) is None]
    return narrowed_within(
        Versions(interview.space, tuple(members), versions.joined | {"ties"}),
        list(evidence.numbers) if questions is None else questions,
        interview.matching(evidence.answers, predictor, singles=interview.small.singles),
        interview.predictor,
        _BUDGET,
    )


def _apart_from_ties(interview: Interview, predictor: Predictor) -> Versions | None:
    """Return the conventions that give each answer in some order of the ties; None where that can't be told."""
    if "ties" not in interview.space.settings:
        return None
    evidence, singles = interview.all, interview.small.singles
    effective = {each: predictor.effective_question(each) for each in evidence.numbers}
    tied = {each: question for each, question in effective.items() if has_tied_documents(question)}
    others = [each for each in effective if each not in tied]
    is_right = interview.matching(evidence.answers, predictor, singles=singles)
    everything = Versions.all_of(interview.space.restricted({"ties": (Ties.INPUT_ORDER,)}))
    small, large = ([each for each in others if (each in interview.related) is is_large] for is_large in (False, True))
    if not small:
        return None
    try:
        with interview.predictor.effort.within():
            versions = narrowed(everything, everything.easiest_first(small), is_right)
        # Of those that give each answer in some order the ones that leave the fewest orders. Scores near to each other
        # are tied in singles, where every order would do: who orders them as doubles do compares doubles.
        orders, answers = Orders(interview.predictor, singles=singles), evidence.answers

        def is_possible(each: ShapedProbe, member: Convention) -> bool:
            return orders.give(tied[each], answers[each], member)

        versions = narrowed_within(versions, list(tied), is_possible, interview.predictor, _BUDGET)
        counts = {member: sum(orders.count(each, member) for each in tied.values()) for member in versions.members}
        versions = versions.left_by(lambda member: counts[member] == min(counts.values()))
        return narrowed_within(versions, large, is_right, interview.predictor, _BUDGET)
    except OverBudgetError:
        return None


def _is_an_order_of_docnos(interview: Interview, versions: Versions) -> bool:
    """Tell whether ties are in an order of docnos that has a name, as one that ignores case."""
    # The precision of scores is one that fits apart from ties: in another, scores that are close would be ties as well.
    # So is the mean: a weighted one may be nearer by chance.
    if Ties.DOCNO_ASCENDING not in interview.space.settings["ties"]:
        return False
    from rankspec.conformance.infer.mistakes.search import compares_docnos_otherwise

    fitting = {
        axis: tuple(dict.fromkeys(getattr(member, axis) for member in versions.members))
        for axis in ("score_precision", "aggregate")
        if axis in interview.space.settings
    }
    near = nearest(interview.space.restricted(fitting), interview.all, interview.predictor)
    return near is not None and bool(near.parting) and compares_docnos_otherwise(interview, interview.all, near)
