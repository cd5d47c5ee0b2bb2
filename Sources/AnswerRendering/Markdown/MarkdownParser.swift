// SPDX-License-Identifier: Apache-2.0
import CMD4C

/// Makes the tree from md4c's callbacks.
final class MarkdownBuilder {
  var source = UnsafeRawBufferPointer(start: nil, count: 0)
  var root: MarkdownNode { nodes[0] }
  private var nodes = [MarkdownNode(kind: .document)]
  private var marks: [MarkdownMarks] = []
  private var links: [String] = []
  private var room: Int

  init(limit: Int) {
    room = limit
  }

  func parse() -> Bool {
    var parser = MD_PARSER()
    parser.flags = UInt32(
      MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEURLAUTOLINKS
        | MD_FLAG_NOHTMLBLOCKS)
    parser.enter_block = { type, detail, builder in MarkdownBuilder.of(builder).enter(type, detail) }
    parser.leave_block = { type, _, builder in MarkdownBuilder.of(builder).leave(type) }
    parser.enter_span = { type, detail, builder in MarkdownBuilder.of(builder).enterSpan(type, detail) }
    parser.leave_span = { type, _, builder in MarkdownBuilder.of(builder).leaveSpan(type) }
    parser.text = { type, text, size, builder in MarkdownBuilder.of(builder).text(type, text, Int(size)) }
    let text = source.bindMemory(to: CChar.self).baseAddress
    return withExtendedLifetime(self) {
      // md4c does not always tell that a callback has ended the parsing.
      md_parse(text, MD_SIZE(source.count), &parser, Unmanaged.passUnretained(self).toOpaque()) == 0 && room >= 0
    }
  }

  private static func of(_ builder: UnsafeMutableRawPointer?) -> MarkdownBuilder {
    guard let builder else { preconditionFailure("md4c has lost its builder") }
    return Unmanaged<MarkdownBuilder>.fromOpaque(builder).takeUnretainedValue()
  }

  /// What a callback returns: not zero ends the parsing.
  private func spend() -> CInt {
    room -= 1
    return room < 0 ? 1 : 0
  }

  /// The innermost block that has begun, with what has been found in it.
  private var node: MarkdownNode {
    get { nodes[nodes.count - 1] }
    _modify { yield &nodes[nodes.count - 1] }
  }

  // MARK: Blocks

  private func enter(_ type: MD_BLOCKTYPE, _ detail: UnsafeMutableRawPointer?) -> CInt {
    guard nodes.count <= MarkdownDocument.depthLimit else {
      room = 0
      return spend()
    }
    guard Self.hasNode(type) else { return spend() }
    endImplicitParagraph()
    nodes.append(MarkdownNode(kind: Self.kind(type, detail)))
    return spend()
  }

  /// The text of an item of a tight list is in no paragraph.
  private func endImplicitParagraph() {
    guard nodes.count > 1, !node.runs.isEmpty else { return }
    node.children.append(MarkdownNode(kind: .paragraph, runs: node.runs))
    node.runs = []
  }

  private func leave(_ type: MD_BLOCKTYPE) -> CInt {
    guard Self.hasNode(type) else { return spend() }
    if type == MD_BLOCK_LI { endImplicitParagraph() }
    let child = nodes.removeLast()
    if node.offset == nil { node.offset = child.offset }
    node.children.append(child)
    return spend()
  }

  /// Whether a block is a node of its own. That of the document is there from the start.
  private static func hasNode(_ type: MD_BLOCKTYPE) -> Bool {
    ![MD_BLOCK_DOC, MD_BLOCK_THEAD, MD_BLOCK_TBODY].contains(type)
  }

  /// - Parameter detail: what md4c tells when the block begins; at its end it no longer tells the number of a list.
  private static func kind(_ type: MD_BLOCKTYPE, _ detail: UnsafeMutableRawPointer?) -> MarkdownNode.Kind {
    switch (type, detail) {
    case (MD_BLOCK_QUOTE, _): return .quote
    case (MD_BLOCK_UL, _): return .list(start: nil)
    case (MD_BLOCK_OL, let detail?):
      return .list(start: Int(detail.assumingMemoryBound(to: MD_BLOCK_OL_DETAIL.self).pointee.start))
    case (MD_BLOCK_LI, let detail?):
      let item = detail.assumingMemoryBound(to: MD_BLOCK_LI_DETAIL.self).pointee
      return .item(isDone: item.is_task == 0 ? nil : item.task_mark != CChar(UInt8(ascii: " ")))
    case (MD_BLOCK_HR, _): return .rule
    case (MD_BLOCK_H, let detail?):
      return .heading(level: Int(detail.assumingMemoryBound(to: MD_BLOCK_H_DETAIL.self).pointee.level))
    case (MD_BLOCK_CODE, let detail?):
      let code = detail.assumingMemoryBound(to: MD_BLOCK_CODE_DETAIL.self).pointee
      return .code(language: string(code.lang), isFenced: code.fence_char != 0)
    case (MD_BLOCK_TABLE, _): return .table
    case (MD_BLOCK_TR, _): return .row
    case (MD_BLOCK_TH, let detail?), (MD_BLOCK_TD, let detail?):
      switch detail.assumingMemoryBound(to: MD_BLOCK_TD_DETAIL.self).pointee.align {
      case MD_ALIGN_CENTER: return .cell(.center)
      case MD_ALIGN_RIGHT: return .cell(.right)
      default: return .cell(.left)
      }
    default: return .paragraph
    }
  }

  // MARK: Text

  private func enterSpan(_ type: MD_SPANTYPE, _ detail: UnsafeMutableRawPointer?) -> CInt {
    marks.append((marks.last ?? []).union(Self.marks(type)))
    if type == MD_SPAN_A {
      links.append(detail.map { Self.string($0.assumingMemoryBound(to: MD_SPAN_A_DETAIL.self).pointee.href) } ?? "")
    } else if type == MD_SPAN_IMG {
      links.append(detail.map { Self.string($0.assumingMemoryBound(to: MD_SPAN_IMG_DETAIL.self).pointee.src) } ?? "")
    }
    return spend()
  }

  private func leaveSpan(_ type: MD_SPANTYPE) -> CInt {
    _ = marks.popLast()
    if type == MD_SPAN_A || type == MD_SPAN_IMG { _ = links.popLast() }
    return spend()
  }

  private static func marks(_ type: MD_SPANTYPE) -> MarkdownMarks {
    switch type {
    case MD_SPAN_EM: .emphasis
    case MD_SPAN_STRONG: .strong
    case MD_SPAN_CODE: .code
    case MD_SPAN_DEL: .deleted
    default: []
    }
  }

  private func text(_ type: MD_TEXTTYPE, _ text: UnsafePointer<CChar>?, _ size: Int) -> CInt {
    guard let text else { return spend() }
    // Nothing but md4c's own spaces is longer than the source. If it errs, it parses no further.
    guard size <= source.count + 16 else { return 1 }
    let bytes = UnsafeRawBufferPointer(start: text, count: size)
    if node.offset == nil { node.offset = offset(of: bytes) }
    let string =
      switch type {
      case MD_TEXT_NULLCHAR: "\u{FFFD}"
      case MD_TEXT_BR: "\n"
      case MD_TEXT_SOFTBR: " "
      case MD_TEXT_ENTITY: CharacterReference.text(String(decoding: bytes, as: UTF8.self))
      case MD_TEXT_HTML: Self.html(String(decoding: bytes, as: UTF8.self))
      default: String(decoding: bytes, as: UTF8.self)
      }
    append(string)
    return spend()
  }

  private static func html(_ tag: String) -> String {
    ["<br>", "<br/>", "<br />"].contains(tag.lowercased()) ? "\n" : tag
  }

  private func append(_ text: String) {
    let run = MarkdownRun(text: text, marks: marks.last ?? [], link: links.last)
    let last = node.runs.count - 1
    // By index: a copy would share the text, which would then be copied for each line of code.
    if last >= 0, node.runs[last].marks == run.marks, node.runs[last].link == run.link {
      node.runs[last].text += text
    } else {
      node.runs.append(run)
    }
  }

  /// The offset of bytes that are a part of the source; md4c has others, such as line feeds.
  private func offset(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = source.baseAddress, let start = bytes.baseAddress, start >= base, start < base + source.count
    else { return nil }
    return start - base
  }

  private static func string(_ attribute: MD_ATTRIBUTE) -> String {
    guard let text = attribute.text, let types = attribute.substr_types, let offsets = attribute.substr_offsets else {
      return ""
    }
    var string = ""
    var index = 0
    while Int(offsets[index]) < Int(attribute.size) {
      let (start, end) = (Int(offsets[index]), Int(offsets[index + 1]))
      let part = String(decoding: UnsafeRawBufferPointer(start: text + start, count: end - start), as: UTF8.self)
      string += types[index] == MD_TEXT_ENTITY ? CharacterReference.text(part) : part
      index += 1
    }
    return string
  }
}
