import ChappieSDK
import GLibBridge
import Platform

/// A JSON Schema that an answer must fit, from a file.
struct SchemaFile {
  /// The schema as the service takes it.
  let text: String
  /// The schema as the answer is checked.
  let schema: JSONSchema

  /// - Throws: ``CommandLineError`` if the file cannot be read, is no JSON object, or no schema.
  init(_ path: String) throws {
    let bytes = try AttachedFile.read(path, limit: JSONSchema.textLimit)
    guard let value = try? ChappieJSONValue(parsing: bytes.span, valueLimit: JSONSchema.valueLimit),
      value.objectValue != nil
    else { throw CommandLineError(tr("The schema \(path) is no JSON object, or has too many values.")) }
    text = value.json
    do {
      schema = try JSONSchema(value)
    } catch {
      throw CommandLineError(tr("The schema \(path) cannot be used: \(error.description)."))
    }
  }
}
