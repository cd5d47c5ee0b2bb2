// SPDX-License-Identifier: Apache-2.0
import CGLib
import Platform

/// GOption's context for one parse. It passes each option to a closure, so that no C variable has to store it.
final class OptionContext {
  struct Entry {
    let name: String
    let short: Character?
    let help: String
    /// Nil when the option has no value.
    let placeholder: String?
  }

  private typealias Found = (_ name: String, _ value: String?) -> Void

  private let context: OpaquePointer?
  /// GOption keeps pointers to the strings of its entries.
  private var texts: [UnsafeMutablePointer<CChar>?] = []
  private let sink = Sink()

  init(parameters: String?, summary: String, details: String, entries: [Entry], remaining: String?) {
    context = g_option_context_new(parameters)
    g_option_context_set_help_enabled(context, 0)
    g_option_context_set_summary(context, summary)
    if !details.isEmpty { g_option_context_set_description(context, details) }
    let group = g_option_group_new("main", "", "", Unmanaged.passUnretained(sink).toOpaque(), nil)
    var list = entries.map(entry)
    // G_OPTION_REMAINING is the option with the empty name. Without it GOption leaves positional arguments in the
    // vector.
    if let remaining { list.append(entry(Entry(name: "", short: nil, help: "", placeholder: remaining))) }
    list.append(GOptionEntry())
    g_option_group_add_entries(group, list)
    g_option_context_set_main_group(context, group)
  }

  deinit {
    g_option_context_free(context)
    for text in texts { g_free(text) }
  }

  /// The help text of the program with this name.
  func help(of program: String) -> String {
    // GOption shows the name that g_get_prgname returns, or that of the parsed vector.
    _ = try? parse([program]) { _, _ in }
    // Its own words, such as “Usage:”, are in GLib's catalogue.
    let text = Translation.inUsersLocale { g_option_context_get_help(context, 1, nil) }
    defer { g_free(text) }
    return text.map { String(cString: $0) } ?? ""
  }

  /// Calls `found` with the name of each option, without dashes, and with an empty name for each positional argument.
  ///
  /// - Throws: ``GLibError``, ``CommandLineError``.
  func parse(_ arguments: [String], _ found: @escaping (_ name: String, _ value: String?) -> Void) throws {
    let builder = g_strv_builder_new()
    for argument in arguments { g_strv_builder_add(builder, argument) }
    var vector = g_strv_builder_end(builder)
    g_strv_builder_unref(builder)
    defer { g_strfreev(vector) }
    sink.found = found
    _ = try checked { g_option_context_parse_strv(context, &vector, &$0) }
    let rest = (1..<max(1, Int(g_strv_length(vector)))).compactMap { vector?[$0].map { String(cString: $0) } }
    if let surplus = rest.first(where: { $0 != "--" }) {
      throw CommandLineError(tr("“\(surplus)” is one argument too many"))
    }
  }

  private final class Sink {
    var found: Found = { _, _ in }
  }

  private func entry(_ entry: Entry) -> GOptionEntry {
    let read: GOptionArgFunc = { name, value, data, _ in
      guard let data else { return 0 }
      let name = name.map { String(cString: $0).drop { $0 == "-" } } ?? ""
      Unmanaged<Sink>.fromOpaque(data).takeUnretainedValue().found(String(name), value.map { String(cString: $0) })
      return 1
    }
    var result = GOptionEntry()
    result.long_name = keep(entry.name)
    result.short_name = CChar(entry.short?.asciiValue ?? 0)
    // As file names, values are passed without conversion. The C locale of a program that sets no locale would reject
    // non-ASCII text.
    let flags = entry.placeholder == nil ? G_OPTION_FLAG_NO_ARG : G_OPTION_FLAG_FILENAME
    result.flags = Int32(flags.rawValue)
    result.arg = G_OPTION_ARG_CALLBACK
    result.arg_data = unsafeBitCast(read, to: gpointer.self)
    result.description = keep(entry.help)
    result.arg_description = entry.placeholder.flatMap(keep)
    return result
  }

  private func keep(_ text: String) -> UnsafePointer<CChar>? {
    let copy = g_strdup(text)
    texts.append(copy)
    return copy.map { UnsafePointer($0) }
  }
}
