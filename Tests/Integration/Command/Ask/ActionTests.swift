// SPDX-License-Identifier: Apache-2.0

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

  private func begin() async throws -> (World, Caller) {
    let (world, caller) = try await World.signedIn()
    for (name, text) in [
      ("polite", Self.polite), ("plain", "Hello"), ("wrong", "[Template]\nSurfaces=all\n---\n"),
      ("short", "[Template]\nTitle=Shorten\nSurfaces=selection\nReplace=at-once\n---\nShorten."),
      ("over", "[Template]\nTitle=Über-shorten\nSurfaces=selection\n---\n"), ("hidden", "Hello"),
      ("zap", "[Template]\nSurfaces=selection\n---\n"),
      ("other-system", "\u{FEFF}[Template]\r\nTitle= a\\n\u{1B}[1mb\r\nSurfaces=selection\r\n---\r\n$input"),
    ] {
      try world.directories.configure(text, in: "templates/\(name).txt")
    }
    let shipped = world.directories.data.appending(path: "chappie/templates")
    try FileManager.default.createDirectory(at: shipped, withIntermediateDirectories: true)
    for name in ["hidden", "short"] {
      try "[Template]\nTitle=Shipped\nSurfaces=selection\n---\n".write(
        to: shipped.appending(path: "\(name).txt"), atomically: true, encoding: .utf8)
    }
    return (world, caller)
  }

  private func actions(_ caller: Caller) async throws -> [VariantDictionary] {
    let options = VariantDictionary()
    return try await caller.call("Manager.ListActions", options).member(0, "actions", as: [VariantDictionary].self)
  }

  @Test func surfacesGetTheActionsInPieces() async throws {
    let (world, caller) = try await begin()
    let actions = try await actions(caller)
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
    // The other directories are still read where the user's is a file.
    let place = #"cd "${XDG_CONFIG_HOME:-$HOME/.config}/chappie"; "#
    _ = try await world.shell(
      place + #"""
        rm -r "${XDG_DATA_HOME:-$HOME/.local/share}/chappie/templates"
        mv templates "${XDG_DATA_HOME:-$HOME/.local/share}/chappie/templates"
        touch templates
        """#)
    #expect(try await self.actions(caller).count == 5)
    // A listing is one message, so it has a bound, as each action has.
    _ = try await world.shell(
      place + #"""
        rm templates; mkdir templates; cd templates
        for n in $(seq 80); do printf '[Template]\nSurfaces=selection\n---\n' >many$n.txt; done
        """#)
    #expect(try await self.actions(caller).count == 64)
  }

  /// The window reads the selected text. With the token it may take the focus.
  @Test func theWindowActsOnTheSelectedText() async throws {
    let (world, _) = try await begin()
    try await world.chappie("act", "short")
      .expect(1, only: "chappie: There is no window: install the package chappie-desktop, or give --stdin.\n")
    let window = try await DesktopWindow(world)
    for (number, (words, name, variable)) in [
      ("polite", "polite", "XDG_ACTIVATION_TOKEN"), ("", "", "DESKTOP_STARTUP_ID"),
    ].enumerated() {
      try await world.shell(#"\#(variable)=token "$0" act \#(words)"#).expect(only: "")
      #expect(
        try await window.action(number + 1)
          == DesktopWindow.Action(name: "act", parameters: [name], activationToken: "token"))
    }
  }

  /// An empty list would say that there are none.
  @Test func aDirectoryThatCannotBeReadIsTold() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    #expect(try await actions(caller).isEmpty)
    let place = #"cd "${XDG_CONFIG_HOME:-$HOME/.config}"; mkdir -p chappie; "#
    _ = try await world.shell(place + "touch chappie/templates")
    let unreadable = try await refusal { try await actions(caller) }
    #expect(unreadable.name == "StoreUnavailable")
    #expect(unreadable.message == "The templates cannot be read: chappie templates says why.")
    guard HangingDisk.isPossible else { return }
    let disk = try await HangingDisk(world)
    _ = try await world.shell(place + #"ln -sf "$HOME/disk" chappie/templates"#)
    let hanging = try await refusal { try await actions(caller) }
    #expect(hanging.name == "StoreUnavailable")
    #expect(hanging.message == "A directory of templates does not answer: check its disk or network.")
    try await disk.end()
  }

  /// The user's templates are not for apps in a sandbox.
  @Test(.sandboxes)
  func aSandboxedAppGetsNone() async throws {
    let (world, _) = try await begin()
    let app = try await world.caller(app: "org.example.App")
    try await expectRefusal("AccessDenied") { try await actions(app) }
  }

  @Test func aFilterPrintsTheAnswerAlone() async throws {
    let texts = [("a b", "a b"), (#"a\n\nb\n\n"#, "a\n\nb\n\n"), ("$language", "$language")]
    let (world, _) = try await begin()
    for (input, text) in texts {
      let output = try await world.shell(#"printf '%b' '\#(input)' | "$0" act short --stdin; printf ."#)
      let end = text.hasSuffix("\n") ? "\n\n" : ""
      #expect(output.text == "You said: “Shorten.\n\n\(text)” This conversation has 1 message.\(end).")
    }
    let french = try await world.shell(#"printf a | "$0" act polite -p language=French --stdin"#)
    #expect(french.text.contains("For $5 say politely in French: a. Twice: a!"))
    // An action is in the language of the user.
    let list = try await world.shell(#"LANGUAGE=de "$0" templates --json 2>/dev/null | grep polite"#)
    #expect(list.text.contains(#""title":"Höflicher""#))
    let german = try await world.shell(#"printf a | LANGUAGE=de "$0" act polite --stdin"#)
    #expect(german.text.contains("For $5 say politely in German: a."))
    // Another process may have made the pipe non-blocking; a part of a text must not pass for all of it.
    let parts = try await world.shell(
      #"""
      { printf 'first '; sleep 1; printf second; } |
        python3 -c 'import os, sys; os.set_blocking(0, False); os.execv(sys.argv[1], sys.argv[1:])' \
          "$0" act short --stdin
      """#)
    #expect(parts.text == "You said: “Shorten.\n\nfirst second” This conversation has 1 message.")
  }

  /// An editor would put it in the place of the text.
  @Test func afterAFailureAFilterPrintsNothing() async throws {
    let (world, _) = try await begin()
    try await world.sandbox.play(
      #"[{"endpoint":"responses","times":"always","text":"one two three","drop_after":2}]"#)
    let failed = try await world.shell(#"printf a | "$0" act short --stdin"#)
    #expect(failed.text.hasPrefix("chappie: "), "\(failed.text)")
    #expect(failed.status != 0)
    // An empty answer replaces nothing.
    try await world.sandbox.play(#"[{"endpoint":"responses","text":" \n"}]"#)
    try await world.shell(#"printf a | "$0" act short --stdin 2>errors; s=$?; cat errors >&2; exit $s"#)
      .expect(13, ending: "chappie: The answer is empty.\n")
  }
}
