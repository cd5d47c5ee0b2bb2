"""All attacks. Each is a function that is called repeatedly until its time is over."""

from attacks import answers, calls, crowd, forgery, memory
from attacks.attack import Attack

ATTACKS = [
    Attack("empty-messages", "9", memory.empty_messages, least=1.5),
    Attack("long-contexts", "9 10", memory.long_contexts),
    Attack("long-answers", "9 19", answers.long_answers),
    Attack("endless-answers", "10 19", answers.endless_answers),
    Attack("endless-events", "19", answers.endless_events),
    Attack("tool-calls", "10", answers.tool_calls),
    Attack("long-items", "10", answers.long_items),
    Attack("tools", "10", memory.tools),
    Attack("long-numbers", "11", memory.long_numbers),
    Attack("schema-bombs", "11", answers.schema_bombs),
    Attack("data-images", "10", memory.data_images),
    Attack("files", "10", memory.files, least=2),
    Attack("harnesses", "10", memory.harnesses),
    Attack("kept-turns", "10 19", answers.kept_turns),
    Attack("get-all", "11", crowd.get_all),
    Attack("introspect", "11", crowd.introspect),
    Attack("clients", "12", crowd.clients),
    Attack("held-turns", "12", crowd.held_turns),
    Attack("programs", "12", crowd.programs),
    Attack("connections", "12", crowd.connections),
    Attack("descriptors", "12", crowd.descriptors),
    Attack("prompts", "13", crowd.prompts, locks_keyring=True, least=1.5),
    Attack("threads", "13", crowd.threads),
    Attack("tiny-events", "19", answers.tiny_events),
    Attack("pings", "11 19", answers.pings),
    Attack("late-frames", "17", answers.late_frames),
    Attack("garbage", "10 11", answers.garbage),
    Attack("oversize", "9 10", calls.oversize),
    Attack("typed-calls", "9 11", calls.typed),
    Attack("vanishing", "12", calls.vanishing),
    Attack("matches", "12", crowd.matches),
    Attack("forged-replies", "6", forgery.forged_replies, least=4),
]
