"""Where an answer does not stay the same: what it changes with, the smallest calls that show it, and all the rest.

What chance decides is set apart, and the rest is read as if that had not been asked. State can't spoil the first call
of a process, so first calls are asked. Budgets count processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rankspec.conformance.checks import stability
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.infer.identify.conclusions import MOST_MEMBERS, base, result
from rankspec.conformance.infer.identify.identification import Counterexample, Identification, Status, smallest
from rankspec.conformance.infer.identify.randomness import Orders, has_mixed_list
from rankspec.conformance.infer.interview.evidence import Evidence, with_errors
from rankspec.conformance.infer.interview.interview import Finding, FindingKind, Interview
from rankspec.conformance.infer.interview.prediction import outcome_text
from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.infer.interview.respondent import SAME_ARGUMENTS, ChangedAnswer
from rankspec.conformance.infer.interview.version_space import Versions, narrowed
from rankspec.conformance.judge.agreement import agrees, bound_of
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED
from rankspec.conformance.run.limits import Halted
from rankspec.conformance.run.outcomes import NotCalled, Number, Outcome, PerQuery, is_unanswered
from rankspec.oracle.conventions.convention import setting_text
from rankspec.oracle.language.expression import expression_text

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
    smaller = smallest(change.question, interview.shaped, lambda puts: two(interview, puts), _SHRINKING)
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
    last = smallest(question, interview.shaped, lambda puts: (pair_of(other, each) for each in puts), most)
    question, pair = last or (question, pair)
    first = smallest(other, interview.shaped, lambda puts: (pair_of(each, question) for each in puts), most)
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
        unexplained = base(interview, Status.UNSTABLE)
        return _summary(unexplained, "no known convention matches the first calls of new processes")
    groups = interview.classes(versions.complete(MOST_MEMBERS) or versions.members)
    identification = result(interview, Status.UNSTABLE, versions, groups)
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
    members = versions.complete(MOST_MEMBERS)
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
        return _summary(base(interview, Status.UNSTABLE), words)
    identification = settled(interview)
    if identification.texts and not identification.deviations:
        words += f"; the others match {identification.texts[0]}"
    return _summary(replace(identification, explained=False, nearest=None), words)
