// SPDX-License-Identifier: Apache-2.0

/// A complete answer.
public struct ChappieResponse: Sendable, Hashable, Codable {
  /// The text of the answer, over all its rounds of tool calls. It can be empty.
  public let outputText: String
  /// The backend's id of the answer to the last request. Empty if it is no plain name, or could be a part of a token.
  public let responseID: String
  /// The slug of the model that the request named.
  public let model: String
  /// The tokens of all requests of the turn together.
  public let usage: ChappieTokenUsage
  /// Whether the text is the model's refusal to answer.
  public let isRefusal: Bool
  /// How often the web was searched for the answer: 0 if the model did not search though it could. Nil if it could not.
  public let searches: Int?
  /// The sources that the answer names, in its order. Show them where the answer is shown, as links.
  public let citations: [ChappieCitation]

  /// How the model got the files of the conversation; nil if there are none.
  public let filesForm: ChappieFilesForm?

  /// Creates an answer, such as for a preview.
  public init(
    outputText: String, responseID: String = "", model: String = "", usage: ChappieTokenUsage = ChappieTokenUsage(),
    isRefusal: Bool = false, searches: Int? = nil, citations: [ChappieCitation] = [],
    filesForm: ChappieFilesForm? = nil
  ) {
    self.outputText = outputText
    self.responseID = responseID
    self.model = model
    self.usage = usage
    self.isRefusal = isRefusal
    self.searches = searches
    self.citations = citations
    self.filesForm = filesForm
  }
}

/// The form in which a model gets files.
public enum ChappieFilesForm: String, Sendable, Hashable, Codable {
  /// The backend has read the files.
  case inline
  /// The model does not take files, so it got their text and pictures of the first pages.
  case text
}

/// An event of an answer in progress.
public enum ChappieStreamEvent: Sendable, Hashable, Codable {
  /// The next piece of the answer's text, never empty. Append it.
  case textDelta(String)
  /// The model has called a tool, and the arguments fit its schema. The tool's policy decides next.
  case toolCallRequested(ChappieToolExecutionRequest)
  /// A tool call waits for the user's approval. The client's approval handler is being asked.
  case approvalRequested(ChappieApprovalRequest)
  /// A tool call has ended, or its arguments did not fit the schema. The model gets the output automatically.
  case toolCallCompleted(ChappieToolExecutionResult)
  /// What a search of the web does. More may follow.
  case webSearch(ChappieWebSearchStep)
  /// The answer names a source. Its place is within the text so far. ``ChappieResponse/citations`` has what counts in
  /// the end, also sources that no event named.
  case citation(ChappieCitation)
  /// The backend has reported the plan's usage, as a rule before the answer.
  case usageLimits(ChappieUsageLimitSnapshot)
  /// The complete answer. It is the last event.
  case completed(ChappieResponse)
}
