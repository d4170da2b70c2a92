"""Answers of chance: tied documents in no fixed order, any order at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, groupby, permutations, product
from math import factorial, prod
from typing import TYPE_CHECKING

from rankspec.conformance.infer.identify.conclusions import identified, observe_errors
from rankspec.conformance.infer.identify.identification import UNORDERED_CLAUSE, UNORDERED_TIES, Identification
from rankspec.conformance.infer.interview.evidence import Evidence, nearest, with_errors
from rankspec.conformance.infer.interview.interview import Interview
from rankspec.conformance.infer.interview.prediction import OverBudgetError, Predictor, fits, has_repeats
from rankspec.conformance.infer.interview.probe import ShapedProbe, has_tied_documents
from rankspec.conformance.infer.interview.relations import list_of_hits
from rankspec.conformance.infer.interview.version_space import Versions, narrowed, narrowed_within
from rankspec.conformance.judge.agreement import agrees, bound_of, lies_between
from rankspec.conformance.run.outcomes import Malformed, Number, Outcome
from rankspec.oracle.conventions.axes import ScorePrecision, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import meaningless
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Retrieved, Run, Score, as_float32, as_float64
from rankspec.oracle.rankings.ranking import is_relevant

if TYPE_CHECKING:
    from rankspec.conformance.infer.mistakes.search import MistakeFit

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
    unordered = f"{UNORDERED_TIES} ({_order_of_ties(interview)})"
    interview.note(unordered, first=True)
    observe_errors(interview, reading)
    identification = identified(interview, reading)
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
    ties = Mistake("ties", f"{UNORDERED_CLAUSE} ({_order_of_ties(interview)})", mistake.predictor)
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
