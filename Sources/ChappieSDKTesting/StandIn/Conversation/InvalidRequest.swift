/// A refusal of a request, with the reason in the backend's words.
struct InvalidRequest: Error {
  let detail: String
}
