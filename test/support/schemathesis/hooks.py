"""What Schemathesis cannot read from the OpenAPI document: keys, addresses of callers, and signatures of events."""

import atexit
import base64
import hashlib
import hmac
import itertools
import json
import os
import re
import time
from collections import Counter, defaultdict

import schemathesis
from schemathesis.core.parameters import ParameterLocation

SETTINGS = json.loads(os.environ["GENERATED_INPUT"])
KEYS = SETTINGS["keys"]
# Requests that succeed, by operation, where the example with values that exist is not enough.
VALID = SETTINGS["valid"]
# Of 8 requests, 6 carry a key of the right type, one a key of another type and one none.
SHARE = 8

addresses = itertools.count()
# The case that was made one that succeeds, and the start of its response, by operation.
begun = {}
answers = {}
statuses = defaultdict(Counter)


def subschemas(value):
    if isinstance(value, dict):
        yield value
        for one in value.values():
            yield from subschemas(one)
    elif isinstance(value, list):
        for one in value:
            yield from subschemas(one)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Operations with an example are sent first, before generated requests have changed what they need."""
    for one in subschemas(raw_schema):
        if one.get("in") == "path":
            one.setdefault("example", "00000000-0000-7000-8000-000000000000")
        # The pattern says what is accepted. The rules of Schemathesis for addresses are stricter.
        if one.get("format") == "email" and "pattern" in one:
            del one["format"]


def definition(case):
    return case.operation.definition.raw


def known(parameter, path):
    """A value that exists; None for other parameters."""
    for one in SETTINGS["known"]:
        if one["parameter"] == parameter and re.search(one.get("paths", ""), path):
            return one["values"][0]
    return None


def with_known(values, location, path):
    return {name: known(f"{location}.{name}", path) or value for name, value in values.items()}


def example_body(operation):
    for media in operation.get("requestBody", {}).get("content", {}).values():
        for example in media.get("examples", {}).values():
            return example["value"]
        return media.get("example")
    return None


def begin_with_valid(case, operation):
    """Makes the first valid request of each operation one that succeeds: its example, with values that exist. False for others."""
    name = operation.get("operationId")
    if name in begun or case.meta is None or any(one.mode.is_negative for one in case.meta.components.values()):
        return False
    begun[name] = case
    valid = VALID.get(name, {})
    case.path_parameters = {**with_known(case.path_parameters, "path", case.path), **valid.get("path", {})}
    required = {one["name"] for one in operation.get("parameters", []) if one.get("in") == "query" and one.get("required")}
    query = {name: value for name, value in case.query.items() if name in required}
    case.query = {**with_known(query, "query", case.path), **valid.get("query", {})}
    body = example_body(operation)
    if body is not None:
        case.body = {**with_known(body, "body", case.path), **valid.get("body", {})}
        case.media_type = "application/json"
    return True


def key_for(request, key_types, begins):
    """Follows from the request alone: one that is repeated carries the same key."""
    body = request.body or b""
    text = request.method.encode() + request.url.encode() + (body if isinstance(body, bytes) else body.encode())
    number = 2 if begins else hashlib.sha256(text).digest()[0] % SHARE
    if number == 0 or not key_types:
        return None
    own = key_types[0] if begins else "merchant" if "merchant" in key_types else "affiliate"
    other = "affiliate" if own == "merchant" else "merchant"
    return KEYS[other if number == 1 else own]


def sign(request, secret):
    """Standard Webhooks: base64 HMAC-SHA256 of id, time and body."""
    timestamp = str(int(time.time()))
    request.headers["webhook-timestamp"] = timestamp
    head = f"{request.headers['webhook-id']}.{timestamp}.".encode("latin-1")
    digest = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), head + (request.body or b""), hashlib.sha256).digest()
    request.headers["webhook-signature"] = "v1," + base64.b64encode(digest).decode()


def is_valid(case, location):
    component = case.meta.components.get(location) if case.meta else None
    return component is not None and not component.mode.is_negative


def keep_one_pagination_style(query):
    """A schema cannot say that the styles exclude each other, and cursors come from a list only."""
    query.pop("cursor", None)
    query.pop("after", None)
    if "offset" in query:
        query.pop("page", None)
        query.pop("pageSize", None)
    elif "limit" in query:
        query.pop("pageSize", None)


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = definition(case)
    if case.query and is_valid(case, ParameterLocation.QUERY):
        keep_one_pagination_style(case.query)
    name = operation.get("operationId")
    begins = begin_with_valid(case, operation)
    if name in SETTINGS["spare"] and str(case.path_parameters.get("id")).lower() in SETTINGS["kept"]:
        case.path_parameters["id"] = SETTINGS["spare"][name]
    secret = SETTINGS["secrets"].get(name)
    signed = secret is not None and is_valid(case, ParameterLocation.HEADER)

    def prepare(request):
        # Requests without a key are limited by address.
        number = next(addresses)
        request.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        key = key_for(request, operation.get("x-key-types", []), begins)
        if key is not None:
            request.headers["Authorization"] = f"Bearer {key}"
        if name == "recordClick":
            request.headers["Origin"] = SETTINGS["website"]
        if signed:
            sign(request, secret)
        return request

    kwargs["auth"] = prepare


@schemathesis.hook
def after_call(context, case, response):
    name = definition(case).get("operationId", case.operation.label)
    statuses[name][str(response.status_code)] += 1
    if begun.get(name) is not case:
        return
    # A limit says nothing about the request: the next valid one begins instead.
    if response.status_code == 429:
        del begun[name]
    else:
        answers[name] = f"{response.status_code} {response.text[:200]}"


@atexit.register
def write_statuses():
    with open(SETTINGS["statuses"], "w", encoding="utf-8") as file:
        json.dump({"statuses": statuses, "begun": {name: answers.get(name, "no response") for name in begun}}, file)
