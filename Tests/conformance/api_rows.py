"""Uses of the `openai` package with the public API on a plan. No address is given: it has the live server's."""

import base64
from pathlib import Path

import openai
from pydantic import BaseModel

from checks import Failure, fails, holds, same, true
from public_refusals import REFUSALS

QUESTION = {"model": "gpt-6-sol", "store": False}
CLOCK = {
    "type": "function", "name": "clock", "description": "Tells the time.", "strict": False,
    "parameters": {"type": "object", "properties": {}},
}
PIXEL = ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
         "awAAAABJRU5ErkJggg==")
REPORT = Path(__file__).resolve().parents[2] / "Examples/report.pdf"
UNSUPPORTED = "subscription_sharing_unsupported_capability"


def client(token):
    return openai.OpenAI(api_key=token, max_retries=0, timeout=60)


def said(text):
    return [{"role": "user", "content": text}]


def ask(api, **more):
    """The events of an answer."""
    return list(api.responses.create(**{"stream": True, "input": said("Hello"), **QUESTION, **more}))


def text_of(events):
    same(events[-1].type, "response.completed", "the last event")
    return "".join(event.delta for event in events if event.type == "response.output_text.delta")


def items_of(events):
    return [event.item for event in events if event.type == "response.output_item.done"]


def lists_models(api, standin):
    """The list has another form than with a key: `models` in place of `data`."""
    same(api.models.list().data, None, "the list as the package reads it")
    models = api.get("/models", cast_to=dict[str, object])["models"]
    true("gpt-6-sol" in [model["slug"] for model in models], "the list has no gpt-6-sol")
    true({"list", "hide"} >= {model["visibility"] for model in models}, "a model has no visibility")


def creates_a_stream(api, standin):
    events = ask(api)
    same(text_of(events), "You said: “Hello” This conversation has 1 message.", "the answer in deltas")
    same(events[-1].response.usage.output_tokens, 8, "the number of output tokens")
    # As seen of the live server.
    same(events[-1].response.output, [], "the output of the last event")


def streams(api, standin):
    """Its helper takes the answer from the last event, which is empty here."""
    with api.responses.stream(input=said("Hello"), **QUESTION) as stream:
        events = list(stream)
        same(stream.get_final_response().output_text, "", "the answer as the package reads it")
    holds(text_of(events), "You said: “Hello”", "the answer in deltas")


class Person(BaseModel):
    name: str
    tags: list[str]


def has_structure(api, standin):
    form = {"type": "json_schema", "name": "person", "strict": True, "schema": Person.model_json_schema() | {
        "additionalProperties": False}}
    answer = Person.model_validate_json(text_of(ask(api, text={"format": form})))
    true(answer.name and len(answer.tags) == 1, f"the answer is {answer!r}")


def calls_functions(api, standin):
    talk = said("use clock")
    call, = items_of(ask(api, input=talk, tools=[CLOCK]))
    same((call.type, call.name, call.arguments), ("function_call", "clock", "{}"), "the call")
    talk += [call.to_dict(), {"type": "function_call_output", "call_id": call.call_id, "output": "noon"}]
    same(text_of(ask(api, input=talk, tools=[CLOCK])), "The tool clock said: noon", "the answer")


def gives_tools_otherwise(api, standin):
    more = {"type": "additional_tools", "role": "developer", "tools": [CLOCK]}
    call, = items_of(ask(api, input=[more] + said("use clock")))
    same(call.name, "clock", "the call")
    tools = [{"type": "namespace", "name": "time", "description": "About time.", "tools": [CLOCK]}]
    true(text_of(ask(api, tools=tools)), "there is no answer")
    tools = [{"type": "custom", "name": "shout"}, {"type": "web_search"}]
    true(text_of(ask(api, tools=tools)), "there is no answer")


def sends_a_document(api, standin):
    report = base64.b64encode(REPORT.read_bytes()).decode()
    part = {"type": "input_file", "filename": "report.pdf", "file_data": f"data:application/pdf;base64,{report}"}
    talk = [{"role": "user", "content": [{"type": "input_text", "text": "Look"}, part]}]
    holds(text_of(ask(api, input=talk)), "It came with report.pdf.", "the answer")


def searches_the_web(api, standin):
    tool = {"type": "web_search", "search_context_size": "low",
            "filters": {"allowed_domains": ["example.org", "example.net"]},
            "user_location": {"type": "approximate", "country": "DE"}}
    talk = said("search for night buses")
    events = ask(api, input=talk, tools=[tool])
    search, page, message = items_of(events)
    same((search.type, search.status, search.action.type, search.action.queries),
         ("web_search_call", "completed", "search", ["night buses"]), "the search")
    same((page.action.type, page.action.url), ("open_page", "https://example.org/night-buses/1"), "the page")
    stages = [event.type.rpartition(".")[2] for event in events if event.type.startswith("response.web_search_call.")]
    same(stages, 2 * ["in_progress", "searching", "completed"], "the stages")
    content, = message.content
    same(content.text, text_of(events), "the text of the message")
    same([annotation.type for annotation in content.annotations], 2 * ["url_citation"], "the annotations")
    for citation in content.annotations:
        # Python counts code points.
        link = content.text[citation.start_index:citation.end_index]
        true(link.startswith("([example.") and link.endswith(f"]({citation.url}))"), f"the cited text is {link!r}")
    added = [event.annotation for event in events if event.type == "response.output_text.annotation.added"]
    same([annotation["url"] if isinstance(annotation, dict) else annotation.url for annotation in added],
         [citation.url for citation in content.annotations], "the annotations as they come")
    talk += [item.to_dict() for item in (search, page, message)] + said("Thanks")
    holds(text_of(ask(api, input=talk, tools=[tool])), "3 messages", "the next answer")


def sees_an_image(api, standin):
    content = [{"type": "input_text", "text": "Look"}, {"type": "input_image", "image_url": PIXEL, "detail": "auto"}]
    holds(text_of(ask(api, input=[{"role": "user", "content": content}])), "1 image", "the answer")


def reads_a_file(api, standin):
    content = [{"type": "input_text", "text": "Read"},
               {"type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,SGVsbG8="}]
    holds(text_of(ask(api, input=[{"role": "user", "content": content}])), "You said: “Read”", "the answer")


def reasons(api, standin):
    events = ask(api, reasoning={"effort": "high", "summary": "auto"}, include=["reasoning.encrypted_content"])
    same([item.type for item in items_of(events)], ["reasoning", "message"], "the items")
    talk = said("Hello") + [item.to_dict() for item in items_of(events)] + said("More")
    holds(text_of(ask(api, input=talk)), "You said: “More”", "the next answer")


def gives_what_is_accepted(api, standin):
    developer = [{"role": "developer", "content": "Be brief."}]
    true(text_of(ask(api, input=developer + said("Hello"), instructions="Be kind.")), "there is no answer")
    for more in ({"prompt_cache_key": "a"}, {"service_tier": "priority"}, {"parallel_tool_calls": False},
                 {"tool_choice": "auto"}):
        true(text_of(ask(api, **more)), f"there is no answer with {more}")


REFUSED = {
    "background": True, "conversation": "conv_1", "max_output_tokens": 100, "max_tool_calls": 1, "metadata": {"a": "b"},
    "moderation": {"model": "m"}, "multi_agent": {"enabled": True}, "previous_response_id": "resp_1",
    "prompt": {"id": "pmpt_1"}, "prompt_cache_breakpoint": {"mode": "auto"}, "prompt_cache_options": {"mode": "auto"},
    "prompt_cache_retention": "24h", "safety_identifier": "a", "temperature": 0.5, "top_logprobs": 1, "top_p": 0.5,
    "truncation": "auto", "user": "ada", "service_tier": "flex", "store": True, "stream": False, "input": "Hello",
}
TOOLS = [
    {"type": "image_generation"}, {"type": "file_search", "vector_store_ids": ["vs_1"]},
    {"type": "code_interpreter", "container": {"type": "auto"}}, {"type": "computer_use_preview"},
    {"type": "mcp", "server_label": "a", "server_url": "https://a.example"}, {"type": "tool_search"},
    {"type": "programmatic_tool_calling"},
]


def refused_parameter(name, value):
    def row(api, standin):
        is_refused(name, api, **({"extra_body": {name: value}} if name not in ("input", "store", "stream") else
                                 {name: value}))

    return row


def is_refused(param, api, **more):
    error = fails(openai.BadRequestError, ask, api, **more)
    same((error.code, error.param), (UNSUPPORTED, param), "the code and the parameter of the error")


def refuses_tools(api, standin):
    for tool in TOOLS:
        is_refused("tools", api, tools=[tool])


def refuses_a_system_message(api, standin):
    is_refused("input", api, input=[{"role": "system", "content": "Be brief."}] + said("Hello"))


def refuses_a_model(api, standin):
    is_refused("model", api, model="gpt-2")


ERRORS = {
    400: openai.BadRequestError, 401: openai.AuthenticationError, 403: openai.PermissionDeniedError,
    429: openai.RateLimitError, 503: openai.InternalServerError,
}


def refusal(code):
    def row(api, standin):
        standin.play({"endpoint": "api-responses", "refusal": code})
        shape, status = REFUSALS[code]
        error = fails(ERRORS[status], ask, api)
        same(error.code, code if shape == "error" else None, "the code")
        true("detail" in error.body if shape == "detail" else "message" in error.body, f"the body is {error.body}")
        true(error.request_id.startswith("req_"), "the answer has no request id")

    return row


def fails_in_the_stream(api, standin):
    for code in ("subscription_sharing_usage_limit_exceeded", "subscription_sharing_usage_unavailable",
                 "rate_limit_exceeded"):
        standin.play({"endpoint": "api-responses", "refusal": code, "in_stream": True})
        last = ask(api)[-1]
        same((last.type, last.response.error.code), ("response.failed", code), "the last event")


def is_cut(api, standin):
    standin.play({"endpoint": "api-responses", "text": "one two three", "drop_after": 2})
    fails((openai.APIError, Exception), ask, api)
    standin.play({"endpoint": "api-responses", "text": "one two three", "end_after": 2})
    true(ask(api)[-1].type != "response.completed", "the answer is complete")


def is_incomplete(api, standin):
    answer = {"id": "r", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}
    standin.play({"endpoint": "api-responses", "events": [
        {"type": "response.created", "response": {"id": "r"}}, {"type": "response.incomplete", "response": answer}]})
    same(ask(api)[-1].type, "response.incomplete", "the last event")


def has_no_token(api, standin):
    error = fails(openai.AuthenticationError, ask, api.with_options(api_key="nonsense"))
    same(error.body, {"detail": {"error_code": "invalid_token"}}, "the body")


def has_no_plan(api, standin):
    error = fails(openai.PermissionDeniedError, ask, client(standin.plan_token(plan_use="false")))
    same(error.code, "chatpass_v2_scope_not_authorized", "the code")


def plan_use(state, error, code):
    def row(api, standin):
        standin.post("/sandbox/plan-use", {"state": state})
        same(fails(error, ask, api).code, code, "the code")
        # A list of models uses no plan.
        api.models.list()

    return row


def uses_other_routes(api, standin):
    routes = [
        lambda: api.chat.completions.create(model="gpt-6-sol", messages=said("Hello")),
        lambda: api.embeddings.create(model="e", input="Hello"),
        lambda: api.images.generate(prompt="A bus"),
        lambda: api.responses.retrieve("resp_1"),
        lambda: api.responses.input_tokens.count(model="gpt-6-sol", input="Hello"),
        lambda: api.responses.compact(model="gpt-6-sol", input=said("Hello")),
        lambda: api.files.list(),
        lambda: api.models.retrieve("gpt-6-sol"),
    ]
    for route in routes:
        same(fails(openai.PermissionDeniedError, route).code, "subscription_sharing_route_not_supported", "the code")


def has_no_socket(api, standin):
    def connect():
        with api.responses.connect():
            pass

    holds(str(fails(Exception, connect)), "403", "the error")


ROWS = [
    ("models.list()", lists_models),
    ("responses.create(stream=True)", creates_a_stream),
    ("responses.stream()", streams),
    ("structured output", has_structure),
    ("a function", calls_functions),
    ("additional tools, namespaces, custom tools, web search", gives_tools_otherwise),
    ("web search, with citations", searches_the_web),
    ("a PDF in the question", sends_a_document),
    ("an image", sees_an_image),
    ("a file inline", reads_a_file),
    ("reasoning, sent back", reasons),
    ("parameters that are accepted", gives_what_is_accepted),
    *[(f"{name} is refused", refused_parameter(name, value)) for name, value in REFUSED.items()],
    ("tools of the server are refused", refuses_tools),
    ("a system message is refused", refuses_a_system_message),
    ("an unknown model is refused", refuses_a_model),
    *[(f"{code}", refusal(code)) for code in REFUSALS],
    ("failures in the stream", fails_in_the_stream),
    ("an interrupted answer", is_cut),
    ("an incomplete answer", is_incomplete),
    ("a wrong token is refused", has_no_token),
    ("a sign-in without the plan is refused", has_no_plan),
    ("a user who is not eligible",
     plan_use("not-eligible", openai.PermissionDeniedError, "subscription_sharing_user_not_eligible")),
    ("a limit that is reached",
     plan_use("limit-reached", openai.RateLimitError, "subscription_sharing_usage_limit_exceeded")),
    ("a limit that cannot be checked",
     plan_use("unavailable", openai.InternalServerError, "subscription_sharing_usage_unavailable")),
    ("other routes are refused", uses_other_routes),
    ("a WebSocket is refused", has_no_socket),
]
