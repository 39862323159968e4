"""Filters of Chroma that we tell ourselves: Chroma tells the same."""

import itertools

import chromadb
import pytest

from integrations._chroma_where import condition_of

VALUES = (1, 1.0, True, False, "1", 2, 2.5, "a", "B", "", 0, -1, 3)
METADATA = [*({"k": value} for value in VALUES), {"z": 1}, {"k": 1, "z": "a"}, {"k": 2, "z": 1}]
OPERATORS = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$contains", "$near")
ONES = [{"k": value} for value in VALUES] + [
    {"k": {operator: [value] if operator in ("$in", "$nin") else value}} for operator in OPERATORS for value in VALUES
]
FILTERS = [
    *ONES,
    *(
        {join: list(parts)}
        for join in ("$and", "$or")
        for parts in itertools.product(ONES[::7], [{"z": 1}, {"k": {"$ne": 1}}])
    ),
    {"$and": [{"k": 1}, {"$or": [{"z": "a"}, {"z": {"$gte": 1}}]}]},
    {"k": {"$in": [1, 2, 2.5]}},
    {"k": {"$in": ["1", "a"]}},
    {"k": {"$nin": ["1", "a"]}},
    {"$and": [{"k": 1}]},
    {"k": {"$in": []}},
    {"k": {"$gt": 1, "$lt": 3}},
    {"k": 1, "z": 1},
    {"k": None},
    {"k": {"$in": [None]}},
    {"$not": [{"k": 1}, {"k": 2}]},
    {1: 1},
]


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    made = chromadb.PersistentClient(tmp_path_factory.mktemp("where")).create_collection("records")
    ids = [str(place) for place in range(len(METADATA))]
    made.add(ids=ids, embeddings=[[1.0, float(place)] for place in range(len(ids))], metadatas=METADATA)
    made.add(ids=["bare"], embeddings=[[1.0, 0.5]])
    return made


def test_what_we_tell_is_what_chroma_tells(collection):
    records = [*((str(place), metadata) for place, metadata in enumerate(METADATA)), ("bare", {})]
    told = 0
    for where in FILTERS:
        condition = condition_of(where)
        if condition is not None:
            theirs = set(collection.get(where=where, include=[])["ids"])
            assert {record for record, metadata in records if condition(metadata)} == theirs, where
            told += 1
    assert told > 100


@pytest.mark.parametrize("where", [None, {}, [], "k", 5, {"k": {"$near": 1}}, {"k": {"$gt": "a"}}, {"$and": 1}])
def test_what_chroma_alone_can_tell_is_left_to_it(where):
    assert condition_of(where) is None
