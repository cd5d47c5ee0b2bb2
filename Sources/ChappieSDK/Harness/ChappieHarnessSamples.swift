// SPDX-License-Identifier: Apache-2.0

/// Harnesses to use and to learn from. The app must provide a handler for each of their tools.
public enum ChappieHarnessSamples {
  /// An app that keeps track of stock.
  public static let inventory = ChappieHarness(
    name: "Inventory",
    summary: "Keeps track of what is in stock, how much of it, and where.",
    capabilities: [
      "Finding items with their quantities and places.",
      "Telling what runs low.",
      "Recording what comes in and goes out, once the user has agreed.",
    ],
    tools: [
      tool("find_items", "Finds items by a part of their name.", ["query": text("A part of the name.")]),
      tool(
        "list_low_stock", "Lists the items that are below their minimum.",
        ["limit": number("At most so many.", 1, 100)],
        required: []),
      tool(
        "adjust_quantity", "Adds to an item's quantity, or takes away.",
        [
          "item_id": text("The item's id, from find_items."),
          "change": number("Units; negative for what goes out.", -100_000, 100_000),
        ], policy: .ask),
    ])

  /// An app that keeps notes.
  public static let notes = ChappieHarness(
    name: "Notes",
    summary: "Keeps the user's notes on this computer.",
    capabilities: [
      "Searching and reading the user's notes.", "Writing a new note, once the user has agreed.",
    ],
    tools: [
      tool("search_notes", "Finds notes that contain a text.", ["query": text("What to look for.")]),
      tool("read_note", "Reads one note.", ["note_id": text("The note's id, from search_notes.")]),
      tool(
        "create_note", "Writes a new note.", ["title": text("One line."), "body": text("The note itself.")],
        policy: .ask),
    ])

  /// A panel or widget that controls media playback.
  public static let mediaPlayer = ChappieHarness(
    name: "Media Player",
    summary: "Steers the music or film that plays on this desktop.",
    capabilities: ["Telling what plays.", "Starting, pausing and skipping.", "Setting the volume."],
    tools: [
      ChappieHarnessTool(name: "now_playing", description: "Tells what plays, and at which place."),
      tool(
        "control_playback", "Starts, pauses, stops or skips.",
        ["action": ["type": "string", "enum": ["play", "pause", "stop", "next", "previous"]]]),
      tool("set_volume", "Sets the volume.", ["percent": number("0 is silent.", 0, 100)]),
    ])

  /// An assistant that knows the state of the computer.
  public static let systemStatus = ChappieHarness(
    name: "System Status",
    summary: "Tells how this computer is doing, and helps with what is wrong.",
    capabilities: [
      "Telling load, memory, disk space and battery.", "Listing services that have failed, with their latest messages.",
      "Restarting a service of the user's session, once the user has agreed.",
    ],
    tools: [
      ChappieHarnessTool(name: "system_status", description: "Tells load, memory, disk space and battery."),
      ChappieHarnessTool(name: "list_failed_units", description: "Lists the systemd units that have failed."),
      tool(
        "read_journal", "Reads the latest messages of a unit.",
        ["unit": text("Such as chappied.service."), "lines": number("How many.", 1, 200)], required: ["unit"]),
      tool("restart_user_unit", "Restarts a unit of the user's session.", ["unit": text("Its name.")], policy: .ask),
    ])

  /// The samples by their names on the bus.
  package static let named: [String: ChappieHarness] = [
    "inventory": inventory, "notes": notes, "media-player": mediaPlayer, "system-status": systemStatus,
  ]

  // MARK: Schemas

  /// A tool whose input is an object with `arguments`. All are required unless `required` lists some.
  private static func tool(
    _ name: String, _ description: String, _ arguments: [String: ChappieJSONValue], required: [String]? = nil,
    policy: ChappieToolPolicy = .automatic
  ) -> ChappieHarnessTool {
    let needed = required ?? arguments.keys.sorted()
    return ChappieHarnessTool(
      name: name, description: description,
      inputSchema: [
        "type": "object", "properties": .object(arguments), "required": .array(needed.map { .string($0) }),
        "additionalProperties": false,
      ], policy: policy)
  }

  private static func text(_ description: String) -> ChappieJSONValue {
    ["type": "string", "minLength": 1, "description": .string(description)]
  }

  private static func number(_ description: String, _ minimum: Int64, _ maximum: Int64) -> ChappieJSONValue {
    [
      "type": "integer", "minimum": .integer(minimum), "maximum": .integer(maximum),
      "description": .string(description),
    ]
  }
}
