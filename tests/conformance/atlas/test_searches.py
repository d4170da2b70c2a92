"""What a search for recipes went through: all that is small up to its bound, and drawn ones of every kind."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from rankspec.conformance.atlas import translate, translations
from rankspec.conformance.atlas.recipe import recipe
from rankspec.conformance.infer.witness.scope import scope_of
from rankspec.conformance.infer.witness.separation import inputs_of
from rankspec.oracle import parse_convention, parse_measure

PAIRS = [
    ("AP@3", "default", "default[denominator=cutoff]"),
    ("AP", "default", "default[ties=grouped]"),
    ("P@2", "default", "default[missing_query=skip, unjudged=removed]"),
]
ROOMS = (0, 1, 2, 3, 5, 8, 12, 13, 14, 20, 30, 45, 60, 90)


def read(pair):
    return parse_measure(pair[0]), parse_convention(pair[1]), parse_convention(pair[2])


def repeats(listed):
    return listed is not None and len({docno for docno, _ in listed}) < len(listed)


@pytest.mark.parametrize("pair", PAIRS)
def test_up_to_its_bound_every_small_input_is_tried(monkeypatch, pair):
    """No more than there is room for; one document more would be too many. A dict has no document twice."""
    measure, a, b = read(pair)
    by_size = [[*inputs_of(scope_of(measure, a, b), documents)] for documents in (1, 2, 3)]
    for room in {*ROOMS, *(sum(map(len, by_size[:count])) for count in (1, 2))} - {*range(sum(map(len, by_size)), 99)}:
        monkeypatch.setattr(translate, "MOST_INPUTS", room)
        small, bound = translate.every_input(measure, a, b)
        for documents in (1, 2, 3):
            assert (bound >= documents) == (sum(map(len, by_size[:documents])) <= room)
        every = [each for inputs in by_size for each in inputs][:room]
        assert small == [each for each in every if not any(map(repeats, each.listed.values()))]


@pytest.mark.parametrize("pair", PAIRS)
def test_up_to_its_bound_every_small_query_is_tried(monkeypatch, pair):
    measure, a, b = read(pair)
    scope, by_size = replace(scope_of(measure, a, b), can_part=None), []
    for documents in (0, 1, 2):
        inputs = [*inputs_of(scope, documents)]
        queries = {
            (str(each.judged.get(query)), str(each.listed.get(query)))
            for each in inputs
            for query in {*each.judged, *each.listed}
        }
        by_size.append((len(inputs), queries | (by_size[-1][1] if by_size else set())))
    for room in {*ROOMS, *(count for count, _ in by_size), *(len(queries) for _, queries in by_size)}:
        monkeypatch.setattr(translations, "MOST_QUERIES", room)
        small, bound = translations.every_query(measure, a, b)
        fits = [max(count, len(queries)) <= room for count, queries in by_size]
        assert min(bound, 2) == (fits.index(False) if False in fits else 3) - 1
        assert len(small) <= room
        tried = [(str(None if each.grades is None else dict(each.grades)), str(each.listed)) for each in small]
        assert len({*tried}) == len(tried)
        if bound >= 0:
            assert by_size[min(bound, 2)][1] <= {*tried}


def test_drawn_inputs_are_of_every_kind():
    """Ties, grades around the threshold, unjudged documents; some queries are missing from either side."""
    measure = parse_measure("AP(rel=2)")
    sources = [*map(Random, range(400))]
    drawn = [translations.random_query(measure, source) for source in sources]
    small = [translate.random_input(measure, source) for source in sources]
    one = [(each.grades, each.listed) for each in drawn]
    many = [
        (each.judged.get(query), each.listed.get(query)) for each in small for query in {*each.judged, *each.listed}
    ]
    assert {len({*each.judged, *each.listed}) for each in small} == {1, 2, 3}
    for queries in (one, many):
        kinds, judged, total = Counter(), Counter(), 0
        for grades, listed in queries:
            kinds[grades is None, listed is None] += 1
            if grades is None or listed is None:
                continue
            assert {score for _, score in listed} <= {1, 2, 3, 4}
            total += len(listed)
            judged.update(grades.get(docno) for docno, _ in listed)
        assert {len(listed) for _, listed in queries if listed is not None} == {*range(1, 10)}
        assert all(0.02 < kinds[kind] / len(queries) < 0.2 for kind in ((True, False), (False, True)))
        assert 0.2 < judged[None] / total < 0.4
        assert 0.28 < judged[0] / total < 0.42
        assert all(0.1 < judged[grade] / total < 0.25 for grade in (2, 3))
        assert {*judged} == {None, 0, 2, 3}


@pytest.mark.parametrize(
    ("pair", "is_found"),
    [
        (("AP@3", "default", "default[denominator=cutoff]"), True),
        (
            ("nDCG@3", "default[ties=pessimistic]", "default[ties=optimistic]"),
            False,
        ),  # its step looks at relevance alone
        (("P@3", "default", "default[no_relevant=one]"), False),  # of one document that is relevant it is 1/3
        (("AP", "default", "default[interpolation=envelope]"), False),  # there is no step
        (("AP", "default[no_relevant=one]", "default"), True),
        (("AP", "default[no_hits=one, no_relevant=one]", "default[no_hits=one]"), False),  # what it puts there scores 1
    ],
)
def test_a_recipe_is_one_that_holds_and_a_refutation_refutes(monkeypatch, pair, is_found):
    monkeypatch.setattr(translate, "MOST_INPUTS", 120)
    monkeypatch.setattr(translate, "RANDOM_INPUTS", 25)
    measure, a, b = read(pair)
    found = translate.translate(measure, a, b)
    assert ((found.recipe is not None), found.why is None) == (is_found, is_found)
    assert (found.inputs <= 120, found.random, found.same) == (True, 25, False)
    if found.recipe is not None:
        assert found.recipe == recipe(measure, a, b)
        assert all(
            translate.holds(found.recipe, measure, (a, b), each) for each in translate.every_input(measure, a, b)[0]
        )
    if found.apart is not None:
        one, other = found.apart
        assert one.a == other.a
        assert one.b != other.b


@pytest.mark.parametrize(
    ("pair", "same"),
    [
        (("P@3", "default", "default[interpolation=envelope]"), True),
        (("AP", "default", "default"), True),
        (("AP", "default", "default[ties=grouped]"), False),
    ],
)
def test_what_does_not_differ_is_the_same(monkeypatch, pair, same):
    monkeypatch.setattr(translate, "MOST_INPUTS", 30)
    monkeypatch.setattr(translate, "RANDOM_INPUTS", 3)
    assert translate.translate(*read(pair)).same is same
