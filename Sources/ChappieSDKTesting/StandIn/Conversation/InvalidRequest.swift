/// Why the backend refuses a request, in its own words.
struct InvalidRequest: Error {
  let detail: String
}
