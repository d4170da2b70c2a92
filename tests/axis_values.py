"""Every family under every value of each of its axes, read from the declarations, and data on which values differ."""

from random import Random

from campaign import seeded
from ci_scripts import ci_script
from rankspec.oracle import DEFAULT, Qrels, Run, convention_text, parse_measure
from rankspec.oracle.conventions.axes import Aggregate, Interpolation, NoRelevant, Ties, Unjudged
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import meaningless

BASES = (
    DEFAULT,
    DEFAULT.with_setting("interpolation", Interpolation.ELEVEN_POINT),
    DEFAULT.with_setting("aggregate", Aggregate.GEOMETRIC),
    DEFAULT.with_setting("no_relevant", NoRelevant.SKIP),
    DEFAULT.with_setting("unjudged", Unjudged.REMOVED),
    DEFAULT.with_setting("ties", Ties.GROUPED),
    DEFAULT.with_setting("ties", Ties.EXPECTED),
)
"""Some axes matter only under a value of another one."""

WITNESSES = ci_script("separations").WITNESSES


def examples(family):
    """Return measures that stand for a family: its example, and the same with a short cutoff where it takes one."""
    texts = dict.fromkeys([family.example, *WITNESSES, *family.unstated])
    found = {measure: None for text in texts if (measure := parse_measure(text)).family is family}
    return list(found)[:3]


def conventions_of(measure):
    """Yield every value of each axis that matters to a measure under some base."""
    seen = set()
    for base in BASES:
        used = measure.axes(base)
        if base.differences().keys() - set(used):
            continue
        for axis in used:
            for setting in AXES[axis].values or AXES[axis].examples:
                convention = base.with_setting(axis, setting)
                if convention not in seen and meaningless(measure, convention) is None:
                    seen.add(convention)
                    yield convention


def cases():
    """Return the measures that stand for all families."""
    return [measure for family in FAMILIES.values() for measure in examples(family)]


def named(convention):
    """Return a convention's text, for messages."""
    return convention_text(convention)


def judged_run(seed, measure, *, queries=3, undefined=True, repeats=False):
    """Return queries with ties, grades below 0 and unjudged documents, and one of each kind of undefined query.

    Of the latter one has no relevant document, one no hit, one is missing from the run, one from the qrels. Grades are
    those for subtopics where the measure asks for them.
    """
    draw = Random(seeded(seed))
    qrels = {}
    run = {}
    for number in range(queries):
        names = [f"d{place}" for place in range(draw.randint(3, 7))]
        draw.shuffle(names)
        retrieved = names[: draw.randint(2, len(names))]
        run[f"q{number}"] = [(name, draw.choice((3, 2, 2, 1.00000001, 1))) for name in retrieved]
        qrels[f"q{number}"] = {name: draw.choice((0, 1, 1, 2, 3, -1)) for name in draw.sample(names, len(names) - 1)}
        qrels[f"q{number}"][f"missed{number}"] = draw.choice((1, 2))
    if undefined:
        qrels["without relevant"], run["without relevant"] = {"a": 0, "b": 0}, [("a", 2), ("b", 1)]
        qrels["without hits"], run["without hits"] = {"a": 1, "b": 0, "c": 0}, [("b", 2), ("c", 1)]
        qrels["missing"] = {"a": 1, "b": 0}
        run["unknown"] = [("a", 1)]
    if repeats:
        run["q0"].append((run["q0"][0][0], 0.5))
    if measure.family.by_subtopic:
        for grades in qrels.values():
            for docno, grade in grades.items():
                grades[docno] = {"1": grade, draw.choice("123"): draw.choice((0, 1))}
    return Qrels.of(qrels), Run.of(run)
