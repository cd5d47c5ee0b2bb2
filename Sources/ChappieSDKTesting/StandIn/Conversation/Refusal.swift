/// Why the backend refuses a request, in its own words.
struct Refusal: Error {
  let detail: String
}
