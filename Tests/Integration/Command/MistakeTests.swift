// SPDX-License-Identifier: Apache-2.0

/// Command lines that the command refuses by itself, without the service: each has the exit status 2.
@Suite(.worlds) @GLibActor
struct MistakeTests {
  /// Runs `body` in a world with the files and templates that the command lines name.
  private func begin() async throws -> World {
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
    try await world.shell(
      #"""
      mkfifo pipe; printf 'a\0b' >binary; printf 'caf\351' >latin1; truncate -s 100M huge; printf a >a; echo text >text
      head -c 3000000 /dev/zero | tr '\0' a >large; cat large large >larger; head -c 65537 large >long
      printf '\211PNG\r\n\032\n' >image; echo '{}' >s.json
      echo '{"properties":{"a":{"items":1}}}' >items
      mkdir -p "${XDG_CONFIG_HOME:-$HOME/.config}/chappie/templates"
      cd "${XDG_CONFIG_HOME:-$HOME/.config}/chappie/templates"
      printf 'Review for $what: $input' >review.txt; printf Hello >plain.txt
      printf '[Template]\nSurfaces=selection\n---\nShorten.' >short.txt
      """#
    ).expect(0)
    return world
  }

  /// The words after `chappie`, and the sentence.
  private nonisolated static let mistakes: [(String, String)] = [
    // Questions.
    ("ask", "There is nothing to ask: standard input is empty."),
    ("ask ''", "There is nothing to ask: give a text, or - for standard input."),
    ("ask --image - <image", "There is nothing to ask: give a text, or - for standard input."),
    ("ask --image -", "Standard input holds no PNG, JPEG, GIF or WebP image."),
    ("ask What --image - <text", "Standard input holds no PNG, JPEG, GIF or WebP image."),
    ("ask What --image - <huge", "The image on standard input is larger than 8 MiB."),
    ("ask - - <text", "Standard input can be given once: give - once."),
    ("ask --image - --image - What <image", "Standard input can be given once: give - once."),
    ("ask What -f - --image -", "Standard input can be given once: give - once."),
    ("ask --thread new --continue Hello", "--thread and --continue exclude each other."),
    ("ask --schema s.json -x What", "--schema and --extract exclude each other."),
    ("ask --search --search-cached What", "--search and --search-cached exclude each other."),
    // A variable of a script may be empty; what is piped in is no question then.
    ("'' <text", "The text has an empty argument: leave it out, or ask with chappie ask."),
    ("--fast ' ' <text", "The text has an empty argument: leave it out, or ask with chappie ask."),
    ("Sum up '' <text", "The text has an empty argument: leave it out, or ask with chappie ask."),
    // Files.
    ("ask What -f none.txt", "There is no file none.txt."),
    ("ask What -f .", ". is a directory: name a file in it."),
    ("ask What -f pipe", "pipe is no regular file: pipe it in, and give -."),
    ("ask What -f /dev/null", "/dev/null is no regular file: pipe it in, and give -."),
    ("ask What -f binary", "binary is neither UTF-8 text nor a document that a model reads: convert it first."),
    ("ask What -f latin1", "latin1 is neither UTF-8 text nor a document that a model reads: convert it first."),
    (
      "ask What -f - <binary",
      "Standard input is neither UTF-8 text nor a document that a model reads: convert it first."
    ),
    ("ask What -f image", "image is an image: give it with --image."),
    ("ask What -f huge", "huge is longer than 7 MiB: send less."),
    ("ask What -f - <huge", "Standard input is longer than 7 MiB: send less."),
    ("ask What -f larger", "larger is longer than 4 MiB: send less."),
    ("ask What -f large -f large", "The question is longer than 4 MiB: send less."),
    // Schemas.
    ("ask What --schema none.json", "--schema: There is no file none.json."),
    ("ask What --schema /dev/null", "--schema: The schema /dev/null is no regular file."),
    ("ask What --schema text", "--schema: The schema text is no JSON object, or has too many values."),
    (
      "ask What --schema items",
      "--schema: The schema items cannot be used: #/properties/a/items must be an object, true or false."
    ),
    ("ask What --schema huge", "--schema: huge is longer than 256 KiB: send less."),
    // Templates.
    ("ask -t none What", "There is no template “none”: chappie templates lists them."),
    ("ask -t ../chappie What", "“../chappie” is no name of a template: use letters, digits, ., _ and -."),
    ("ask -t review What", "The template “review” needs a value: give -p what=VALUE."),
    ("ask -t review -p what=a -p who=b What", "The template “review” has no variable $who."),
    ("ask -t review -p what What", "--parameter: “what” is not KEY=VALUE"),
    ("ask -p what=a What", "--parameter needs a template: give --template."),
    ("ask -t review -p what=a", "There is nothing to ask: standard input is empty."),
    // Actions.
    ("act short --stdin", "There is no text to act on."), ("act --stdin <a", "--stdin needs the name of an action."),
    ("act short --stdin <latin1", "Standard input is no UTF-8 text."),
    ("act short --stdin <long", "The text is longer than 64 KiB: send less."),
    ("act short plain --stdin <a", "An action is one word: give its name alone."),
    ("act plain", "The template “plain” is no action: it needs Surfaces=selection."),
    ("act short -p a=b", "--account and --parameter need --stdin."),
    ("act none", "There is no template “none”: chappie templates lists them."),
    // The shell.
    ("suggest-command", "There is no text: say what the command shall do."),
    ("suggest-command <long", "The text is longer than 64 KiB: send less."),
    (
      "explain-last",
      "The shell did not tell its last command: see chappie shell-integration --help, and run explain-last."
    ),
    ("shell-integration", "Which shell is it: bash, zsh or fish?"),
    ("shell-integration ksh", "There are lines for bash, zsh and fish, not for “ksh”."),
    // Sign-ins, conversations and threads.
    ("sign-in --device-code --browser", "--device-code and --browser exclude each other."),
    ("sign-in --device-code --paste", "--device-code and --paste exclude each other."),
    ("sign-in --device-code --enable-plan-use", "--device-code and --enable-plan-use exclude each other."),
    ("sign-in --device-code --connect-anew", "--device-code and --connect-anew exclude each other."),
    ("context --clear --compact", "--messages, --clear, --compact and --summary exclude each other."),
    ("threads export -o '' last", "--output: the value is empty"),
    ("ask --account '' hi", "--account: the value is empty"), ("ask --effort= hi", "--effort: the value is empty"),
    ("threads delete --all --yes a", "--all and a thread exclude each other."),
  ]

  @Test func aMistakeIsExplained() async throws {
    let world = try await begin()
    for (words, sentence) in Self.mistakes {
      let output = try await world.shell(#"exec </dev/null; "$0" \#(words)"#)
      #expect(output.text == "chappie: \(sentence)\n", "\(words)")
      #expect(output.status == 2, "\(words)")
    }
  }

  @Test func anUnknownOrIncompleteVerbIsRefused() async throws {
    let mistakes = [
      "statsu", "signin", "caht", "asl hello", "--verison", "threds list", "login", "logout", "export last",
      "delete last --yes", "Show 63ae42d3", "help login", "help sattus",
    ]
    let incomplete = [
      "nonsense", "show", "show a b", "export", "export --all", "export --all -o x a", "export --format yaml a",
      "rename a", "archive", "unarchive", "delete a", "compact", "list a", "--limit many", "--limit 0", "delete --yes",
    ]
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
    for words in mistakes {
      let output = try await world.shell(#""$0" \#(words) </dev/null"#)
      #expect(output.text.hasPrefix("chappie: There is no command"), "\(words): \(output.text)")
      #expect(output.text.contains("Did you mean"), "\(words): \(output.text)")
      #expect(output.status == 2, "\(words)")
    }
    for words in incomplete {
      try await world.shell(#""$0" threads \#(words) </dev/null"#).expect(2, beginning: "chappie: ")
    }
  }
}
