/// A refusal of a request, with the reason in the backend's words.
struct Refusal: Error {
  let detail: String
}
