// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie act`, and `ListActions` on the bus.
@Suite(.worlds) @GLibActor
struct ActionTests {
  private static let polite = """
    [Template]
    Title=Make polite
    Title[de]=Höflicher
    Surfaces=selection
    Replace=offer
    Model=gpt-6-sol
    Effort=low
    Instructions=Answer in $language.

    [Variables]
    language=English
    language[de]=German
    ---
    For $$5 say politely in $language: $input. Twice: $input!

    """

  private func world(_ body: @GLibActor (World, Caller) async throws -> Void) async throws {
    try await World.signedIn { world, caller in
      for (name, text) in [
        ("polite", Self.polite), ("plain", "Hello"), ("wrong", "[Template]\nSurfaces=all\n---\n"),
        ("short", "[Template]\nTitle=Shorten\nSurfaces=selection\nReplace=at-once\n---\nShorten."),
        ("over", "[Template]\nTitle=Über-shorten\nSurfaces=selection\n---\n"), ("hidden", "Hello"),
        ("zap", "[Template]\nSurfaces=selection\n---\n"),
        ("other-system", "\u{FEFF}[Template]\r\nTitle= a\\n\u{1B}[1mb\r\nSurfaces=selection\r\n---\r\n$input"),
      ] {
        _ = try await world.shell(
          #"""
          mkdir -p "${XDG_CONFIG_HOME:-$HOME/.config}/chappie/templates"
          printf %s '\#(text)' >"${XDG_CONFIG_HOME:-$HOME/.config}/chappie/templates/\#(name).txt"
          """#)
      }
      let shipped = world.directories.data.appending(path: "chappie/templates")
      try FileManager.default.createDirectory(at: shipped, withIntermediateDirectories: true)
      for name in ["hidden", "short"] {
        try "[Template]\nTitle=Shipped\nSurfaces=selection\n---\n".write(
          to: shipped.appending(path: "\(name).txt"), atomically: true, encoding: .utf8)
      }
      try await body(world, caller)
    }
  }

  @Test func surfacesGetTheActionsInPieces() async throws {
    try await world { _, caller in
      let options = VariantDictionary()
      let actions = try await caller.call("Manager.ListActions", options)
        .member(0, "actions", as: [VariantDictionary].self)
      // A file of the user replaces one of the same name, and hides it if it is no action.
      #expect(actions.map { $0.text("name") } == ["other-system", "polite", "short", "over", "zap"])
      #expect(actions.map { $0.text("title") } == ["a [1mb", "Make polite", "Shorten", "Über-shorten", "zap"])
      #expect(
        try actions.map { try $0.value("question", as: [String].self) } == [
          ["", ""], ["For $5 say politely in English: ", ". Twice: ", "!"], ["Shorten.\n\n", ""], ["", ""], ["", ""],
        ])
      #expect(actions.map { $0.text("replace") } == ["never", "offer", "at-once", "never", "never"])
      #expect(actions.map { $0.text("instructions") } == [nil, "Answer in English.", nil, nil, nil])
      #expect(actions.map { $0.text("model") } == [nil, "gpt-6-sol", nil, nil, nil])
      #expect(actions.map { $0.text("reasoning_effort") } == [nil, "low", nil, nil, nil])
    }
  }

  /// A listing is one message, so it has a bound, as each action has.
  @Test func aListingHasABound() async throws {
    try await world { world, caller in
      let folder = #"cd "${XDG_CONFIG_HOME:-$HOME/.config}/chappie/templates"; "#
      _ = try await world.shell(folder + "for n in $(seq 80); do cp zap.txt many$n.txt; done")
      let options = VariantDictionary()
      let actions = try await caller.call("Manager.ListActions", options)
        .member(0, "actions", as: [VariantDictionary].self)
      #expect(actions.count == 64)
    }
  }

  @Test func anActionIsInTheLanguageOfTheUser() async throws {
    try await world { world, _ in
      let list = try await world.shell(#"LANGUAGE=de "$0" templates --json 2>/dev/null | grep polite"#)
      #expect(list.text.contains(#""title":"Höflicher""#))
      let output = try await world.shell(#"printf a | LANGUAGE=de "$0" act polite --stdin"#)
      #expect(output.text.contains("For $5 say politely in German: a."))
    }
  }

  /// The window reads the selected text. With the token it may take the focus.
  @Test func theWindowActsOnTheSelectedText() async throws {
    try await world { world, _ in
      let window = try await DesktopWindow(world)
      for (number, (words, name, variable)) in [
        ("polite", "polite", "XDG_ACTIVATION_TOKEN"), ("", "", "DESKTOP_STARTUP_ID"),
      ].enumerated() {
        let output = try await world.shell(#"\#(variable)=token "$0" act \#(words)"#)
        #expect(output.text == "")
        #expect(output.status == 0)
        #expect(
          try await window.action(number + 1)
            == DesktopWindow.Action(name: "act", parameters: [name], activationToken: "token"))
      }
    }
  }

  /// The user's directory is a file here.
  @Test func theOtherDirectoriesAreStillRead() async throws {
    try await world { world, caller in
      _ = try await world.shell(
        #"""
        rm -r "${XDG_DATA_HOME:-$HOME/.local/share}/chappie/templates"
        cd "${XDG_CONFIG_HOME:-$HOME/.config}/chappie"
        mv templates "${XDG_DATA_HOME:-$HOME/.local/share}/chappie/templates"
        touch templates
        """#)
      let options = VariantDictionary()
      let actions = try await caller.call("Manager.ListActions", options)
        .member(0, "actions", as: [VariantDictionary].self)
      #expect(actions.count == 5)
    }
  }

  /// An empty list would say that there are none.
  @Test func aDirectoryThatCannotBeReadIsTold() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let options = VariantDictionary()
      let actions = try await caller.call("Manager.ListActions", options)
        .member(0, "actions", as: [VariantDictionary].self)
      #expect(actions.isEmpty)
      let place = #"cd "${XDG_CONFIG_HOME:-$HOME/.config}"; mkdir -p chappie; "#
      _ = try await world.shell(place + "touch chappie/templates")
      let unreadable = try await refusal { try await caller.call("Manager.ListActions", options) }
      #expect(unreadable.name == "StoreUnavailable")
      #expect(unreadable.message == "The templates cannot be read: chappie templates says why.")
      guard HangingDisk.isPossible else { return }
      let disk = try await HangingDisk(world)
      _ = try await world.shell(place + #"ln -sf "$HOME/disk" chappie/templates"#)
      let hanging = try await refusal { try await caller.call("Manager.ListActions", options) }
      #expect(hanging.name == "StoreUnavailable")
      #expect(hanging.message == "A directory of templates does not answer: check its disk or network.")
      try await disk.end()
    }
  }

  /// The user's templates are not for apps in a sandbox.
  @Test(.sandboxes)
  func aSandboxedAppGetsNone() async throws {
    try await world { world, _ in
      let app = try await world.caller(app: "org.example.App")
      let options = VariantDictionary()
      try await expectRefusal("AccessDenied") { try await app.call("Manager.ListActions", options) }
    }
  }

  @Test func aFilterPrintsTheAnswerAlone() async throws {
    let texts = [
      ("a b", "a b"), (#"a\n\nb\n\n"#, "a\n\nb\n\n"), ("$language", "$language"), ("</text>", "</text>"),
    ]
    try await world { world, _ in
      try await world.each(texts) { input, text in
        let output = try await world.shell(#"printf '%b' '\#(input)' | "$0" act short --stdin; printf ."#)
        let end = text.hasSuffix("\n") ? "\n\n" : ""
        #expect(output.text == "You said: “Shorten.\n\n\(text)” This conversation has 1 message.\(end).")
        let again = try await world.shell(#"printf a | "$0" act polite -p language=French --stdin"#)
        #expect(again.text.contains("For $5 say politely in French: a. Twice: a!"))
      }
    }
  }

  /// An editor would put it in the place of the text.
  @Test func afterAFailureAFilterPrintsNothing() async throws {
    try await world { world, _ in
      try await world.sandbox.play(
        #"[{"endpoint":"responses","times":"always","text":"one two three","drop_after":2}]"#)
      let output = try await world.shell(#"printf a | "$0" act short --stdin"#)
      #expect(output.text.hasPrefix("chappie: "), "\(output.text)")
      #expect(output.status != 0)
    }
  }

  @Test func anEmptyAnswerReplacesNothing() async throws {
    try await world { world, _ in
      try await world.sandbox.play(#"[{"endpoint":"responses","text":" \n"}]"#)
      let output = try await world.shell(#"printf a | "$0" act short --stdin 2>errors; s=$?; cat errors >&2; exit $s"#)
      #expect(output.text.hasSuffix("chappie: The answer is empty.\n"), "\(output.text)")
      #expect(output.status == 13)
    }
  }

  /// Another process may have made the pipe non-blocking; a part of a text must not pass for all of it.
  @Test func aTextThatComesInPartsIsReadToItsEnd() async throws {
    try await world { world, _ in
      let output = try await world.shell(
        #"""
        { printf 'first '; sleep 1; printf second; } |
          python3 -c 'import os, sys; os.set_blocking(0, False); os.execv(sys.argv[1], sys.argv[1:])' \
            "$0" act short --stdin
        """#)
      #expect(output.text == "You said: “Shorten.\n\nfirst second” This conversation has 1 message.")
    }
  }

  @Test func whatCannotBeDoneIsSaid() async throws {
    let mistakes: [(String, String, String, Int32)] = [
      ("", "short --stdin", "There is no text to act on.", 2),
      (#"\0377"#, "short --stdin", "Standard input is no UTF-8 text.", 2),
      ("a", "--stdin", "--stdin needs the name of an action.", 2),
      ("a", "short polite --stdin", "An action is one word: give its name alone.", 2),
      ("", "plain", "The template “plain” is no action: it needs Surfaces=selection.", 2),
      ("a", "plain --stdin", "The template “plain” is no action: it needs Surfaces=selection.", 2),
      ("", "short -p a=b", "--account and --parameter need --stdin.", 2),
      ("", "short", "There is no window: install the package chappie-desktop, or give --stdin.", 1),
      ("", "none", "There is no template “none”: chappie templates lists them.", 2),
    ]
    try await world { world, _ in
      try await world.each(mistakes) { input, words, message, status in
        let output = try await world.shell(#"printf '%b' '\#(input)' | "$0" act \#(words)"#)
        #expect(output.text == "chappie: \(message)\n")
        #expect(output.status == status)
      }
    }
  }

  @Test func aLongTextIsRefused() async throws {
    try await world { world, _ in
      let output = try await world.shell(#"head -c 65537 /dev/zero | tr '\0' a | "$0" act short --stdin"#)
      #expect(output.text == "chappie: The text is longer than 64 KiB: send less.\n")
    }
  }
}
