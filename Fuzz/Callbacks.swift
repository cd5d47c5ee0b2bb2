// SPDX-License-Identifier: Apache-2.0

// The input is what a browser or a hostile program sends to the listener of a sign-in, or what a user pastes: the head
// of a request, its target, and an address. A callback that is accepted has the right state and safe values.

import Glibc
import SecretMemory

@testable import ChappieSDK
@testable import GLibBridge

private let state = SecretBytes("the-state".utf8)
private let issuer = "https://issuer.example"
private let address = CallbackAddress(port: 4711)

private func check(_ parameters: CallbackParameters, _ source: some Collection<UInt8>) {
  guard let callback = try? parameters.callback(state: state, issuer: issuer) else { return }
  switch callback {
  case .code(let code, let clientID):
    precondition((1...4096).contains(code.count))
    precondition(code.withBytes { $0.allSatisfy { (0x20...0x7E).contains($0) } })
    if let clientID {
      precondition((1...256).contains(clientID.utf8.count))
      precondition(clientID.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    }
  case .refused(let code):
    precondition((1...64).contains(code.utf8.count))
    precondition(code.utf8.allSatisfy { "-_".utf8.contains($0) || isalnum(Int32($0)) != 0 })
  }
  precondition(source.count >= "/auth/callback?state=the-state".utf8.count, "a callback from nothing")
}

private func read(target: SecretBytes) -> Result<CallbackParameters?, ChappieAuthError> {
  do {
    return .success(try CallbackAddress.parameters(ofTarget: target))
  } catch {
    return .failure(error)
  }
}

/// A head means the same when it is searched for its end from any offset that is allowed.
private func checkHead(_ input: [UInt8]) {
  let length = LoopbackHead.length(of: input, from: 0)
  for count in stride(from: 0, to: input.count, by: max(1, input.count / 8)) {
    let seen = LoopbackHead.length(of: Array(input.prefix(count)), from: 0)
    precondition(seen == (length.map { $0 <= count } == true ? length : nil), "the end of a head depends on chunks")
  }
  guard let length, case .request(let request) = LoopbackHead.read(input[..<length]) else { return }
  precondition(!request.host.utf8.contains { $0 == 13 || $0 == 10 || $0 == 0 }, "a field has a line end")
  precondition(request.target.count > 0 && request.target.withBytes { $0.allSatisfy { (0x21...0x7E).contains($0) } })
  if case .success(let parameters?) = read(target: request.target) { check(parameters, input) }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  checkHead(input)
  if case .success(let parameters?) = read(target: SecretBytes(input)) { check(parameters, input) }
  do {
    check(try address.parameters(ofPasted: String(decoding: input, as: UTF8.self)), input)
  } catch {
    guard case .invalidAddress(let reason) = error, !reason.isEmpty else {
      preconditionFailure("\(error) tells not what is wrong")
    }
  }
  // What begins like the right address gets further.
  let pasted = address.uri + String(decoding: input, as: UTF8.self)
  let target = Array(CallbackAddress.path.utf8) + input
  if let parameters = try? address.parameters(ofPasted: pasted) { check(parameters, Array(pasted.utf8)) }
  if case .success(let parameters?) = read(target: SecretBytes(target)) { check(parameters, target) }
  return 0
}
