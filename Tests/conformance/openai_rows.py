"""Uses of the `openai` package with the stand-in. Runs in the environment that has the package."""

import openai

from checks import Failure, holds, same

QUESTION = {"model": "gpt-6-sol", "instructions": "Be brief.", "store": False}
CLOCK = {
    "type": "function", "name": "clock", "description": "Tells the time.", "strict": False,
    "parameters": {"type": "object", "properties": {}},
}


def client(standin):
    return openai.OpenAI(
        api_key=standin.access_token(), base_url=f"{standin.issuer}/backend-api/codex", max_retries=0, timeout=60)


def said(text):
    return [{"role": "user", "content": text}]


def creates_a_stream(api, standin):
    events = list(api.responses.create(stream=True, input=said("Hello"), **QUESTION))
    deltas = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    same(deltas, "You said: “Hello” This conversation has 1 message.", "the answer in deltas")
    same(events[-1].type, "response.completed", "the last event")
    same(events[-1].response.output_text, deltas, "the whole answer")
    same(events[-1].response.usage.output_tokens, 8, "the number of output tokens")


def streams(api, standin):
    with api.responses.stream(input=said("Hello"), **QUESTION) as stream:
        deltas = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        answer = stream.get_final_response()
    same(answer.output_text, deltas, "the whole answer")
    holds(deltas, "You said: “Hello”", "the answer")


def calls_a_function(api, standin):
    talk = said("use clock")
    with api.responses.stream(input=talk, tools=[CLOCK], **QUESTION) as stream:
        call, = stream.get_final_response().output
    same((call.type, call.name, call.arguments), ("function_call", "clock", "{}"), "the call")
    talk += [call.to_dict(), {"type": "function_call_output", "call_id": call.call_id, "output": "noon"}]
    with api.responses.stream(input=talk, tools=[CLOCK], **QUESTION) as stream:
        same(stream.get_final_response().output_text, "The tool clock said: noon", "the answer")


def creates_without_a_stream(api, standin):
    """The live backend has streams alone."""
    try:
        api.responses.create(input=said("Hello"), **QUESTION)
    except openai.BadRequestError as error:
        same(error.body, {"detail": "Stream must be set to true"}, "the refusal")
    else:
        raise Failure("it is not refused")


def has_no_token(api, standin):
    try:
        api.with_options(api_key="nonsense").responses.create(stream=True, input=said("Hello"), **QUESTION)
    except openai.AuthenticationError as error:
        same(error.code, "token_expired", "the code of the error")
    else:
        raise Failure("it is not refused")


def converses_over_a_socket(api, standin):
    with api.responses.connect() as socket:
        socket.response.create(input=said("One"), **QUESTION)
        first = last(socket)
        same(first.response.output_text, "You said: “One” This conversation has 1 message.", "the first answer")
        socket.response.create(input=said("Two"), previous_response_id=first.response.id, **QUESTION)
        same(last(socket).response.output_text, "You said: “Two” This conversation has 3 messages.", "the second")
    same(standin.count("handshake"), 1, "the number of handshakes")
    same(standin.last_request()["transport"], "websocket", "the transport")


def calls_a_function_over_a_socket(api, standin):
    with api.responses.connect() as socket:
        socket.response.create(input=said("use clock"), tools=[CLOCK], **QUESTION)
        first = last(socket).response
        output = {"type": "function_call_output", "call_id": first.output[0].call_id, "output": "noon"}
        socket.response.create(input=[output], tools=[CLOCK], previous_response_id=first.id, **QUESTION)
        same(last(socket).response.output_text, "The tool clock said: noon", "the answer")


def is_refused_over_a_socket(api, standin):
    with api.responses.connect() as socket:
        socket.response.create(input=said("One"), **{**QUESTION, "model": "gpt-2"})
        holds(last(socket, "error").error.message, "The 'gpt-2' model is not supported", "the refusal")


def last(socket, kind="response.completed"):
    """The last event of an answer."""
    for event in socket:
        if event.type in ("response.completed", "response.failed", "error"):
            same(event.type, kind, "the last event")
            return event
    raise Failure("the socket ends without an answer")


ROWS = [
    ("responses.create(stream=True)", "http", creates_a_stream),
    ("responses.stream()", "http", streams),
    ("responses.stream() with a function", "http", calls_a_function),
    ("responses.create() is refused", "http", creates_without_a_stream),
    ("a wrong token is refused", "http", has_no_token),
    ("responses.connect(), two turns", "websocket", converses_over_a_socket),
    ("responses.connect() with a function", "websocket", calls_a_function_over_a_socket),
    ("responses.connect(), a refusal", "websocket", is_refused_over_a_socket),
]
