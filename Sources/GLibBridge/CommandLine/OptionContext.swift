// SPDX-License-Identifier: Apache-2.0
import CGLib
import Platform

/// GOption's context for one parse. It passes each option to a closure, so that no C variable has to store it.
final class OptionContext {
  /// Receives the name of an option, without dashes, and its value. The name of a positional argument is empty.
  typealias Found = (_ name: String, _ value: String?) -> Void

  private let context: OpaquePointer?
  /// GOption keeps pointers to the strings of its entries.
  private var strings: [UnsafeMutablePointer<CChar>?] = []
  private let sink: CallbackBox<Found>
  /// The names of the options without a value.
  private let flags: [String]

  /// - Parameters:
  ///   - parameters: the text after `[OPTION…]` in the usage line of the help.
  ///   - remaining: the placeholder for positional arguments; nil if they are not accepted.
  ///   - isForHelp: whether the context has texts. Without, it only parses.
  init(
    _ entries: [CommandLineParser.Entry], parameters: String? = nil, remaining: String?, isForHelp: Bool = false,
    _ found: @escaping Found = { _, _ in }
  ) {
    sink = CallbackBox(found)
    flags = entries.filter { $0.placeholder == nil }.map(\.name)
    context = g_option_context_new(parameters)
    g_option_context_set_help_enabled(context, 0)
    let group = g_option_group_new("main", "", "", Unmanaged.passUnretained(sink).toOpaque(), nil)
    var list = entries.map { entry in
      option(
        entry.name, short: entry.short, isForHelp ? entry.help() : "",
        placeholder: entry.placeholder.map { isForHelp ? $0() : "" })
    }
    // G_OPTION_REMAINING is the option with the empty name. Without it GOption leaves positional arguments in the
    // vector.
    if let remaining { list.append(option("", short: nil, "", placeholder: remaining)) }
    list.append(GOptionEntry())
    g_option_group_add_entries(group, list)
    g_option_context_set_main_group(context, group)
  }

  deinit {
    g_option_context_free(context)
    for string in strings { g_free(string) }
  }

  /// The help text of the program with this name.
  func help(of program: String, summary: String, details: String) -> String {
    g_option_context_set_summary(context, summary)
    if !details.isEmpty { g_option_context_set_description(context, details) }
    // GOption shows the name that g_get_prgname returns, or that of the parsed vector.
    try? parse([program])
    // Its own words, such as “Usage:”, are in GLib's catalogue.
    return takeString(Translation.inUsersLocale { g_option_context_get_help(context, 1, nil) }) ?? ""
  }

  /// Parses a command line.
  ///
  /// - Throws: ``GLibError``, ``CommandLineError``.
  func parse(_ arguments: [String]) throws {
    // GOption ignores such a value.
    for argument in arguments.prefix(while: { $0 != "--" }) {
      if let flag = flags.first(where: { argument.hasPrefix("--\($0)=") }) {
        throw CommandLineError(tr("--\(flag) takes no value"))
      }
    }
    let builder = g_strv_builder_new()
    for argument in arguments { g_strv_builder_add(builder, argument) }
    var vector = g_strv_builder_end(builder)
    g_strv_builder_unref(builder)
    defer { g_strfreev(vector) }
    try checked { g_option_context_parse_strv(context, &vector, &$0) }
    let rest = (1..<max(1, Int(g_strv_length(vector)))).compactMap { vector?[$0].map { String(cString: $0) } }
    if let surplus = rest.first(where: { $0 != "--" }) {
      throw CommandLineError(tr("“\(surplus)” is one argument too many"))
    }
  }

  private func option(_ name: String, short: Character?, _ help: String, placeholder: String?) -> GOptionEntry {
    let read: GOptionArgFunc = { name, value, data, _ in
      let name = name.map { String(cString: $0).drop { $0 == "-" } } ?? ""
      CallbackBox<Found>.of(data).closure(String(name), value.map { String(cString: $0) })
      return 1
    }
    var option = GOptionEntry()
    option.long_name = keep(name)
    option.short_name = CChar(short?.asciiValue ?? 0)
    // As file names, values are passed without conversion. The C locale of a program that sets no locale would reject
    // non-ASCII text.
    option.flags = Int32((placeholder == nil ? G_OPTION_FLAG_NO_ARG : G_OPTION_FLAG_FILENAME).rawValue)
    option.arg = G_OPTION_ARG_CALLBACK
    option.arg_data = unsafeBitCast(read, to: gpointer.self)
    option.description = keep(help)
    option.arg_description = placeholder.flatMap(keep)
    return option
  }

  private func keep(_ text: String) -> UnsafePointer<CChar>? {
    let copy = g_strdup(text)
    strings.append(copy)
    return copy.map { UnsafePointer($0) }
  }
}
