#!/usr/bin/env python3
"""Mutation tests: breaks the sources in one place at a time, and lists the test that fails.

Usage: Tests/mutants.py [NAME…]

Each mutant is the loss of a rule that a user or an attacker would notice. All of them are built at once, into a copy of
the tree in .build/mutants: there each place has the true code and the broken one, and the environment variable
CHAPPIE_MUTANT chooses. So each mutant costs no more than the run of the tests that should notice it. `make mutants`
prepares what building needs.
"""

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
COPY = TOP / ".build/mutants"
# In seconds. Longer than the timeouts of the tests themselves.
DEADLINE = 300


@dataclass
class Mutant:
    name: str
    # The file below Sources, and a text that it has once.
    file: str
    original: str
    # The text that replaces it, in which `mutant` tells whether the mutant is chosen.
    broken: str
    # The tests that should fail, as a regular expression.
    tests: str


MUTANTS = [Mutant(*row) for row in [
    # Locks
    ("a locked screen reads", "ChappieSDK/Lock/LockGate.swift",
     "    case .locked: .locked", "    case .locked where mutant: nil\n    case .locked: .locked",
     "WhenUnlockedTests.aTurnIsRefusedWhileTheScreenIsLocked"),
    ("an unknown lock counts as none", "ChappieSDK/Lock/LockGate.swift",
     "unknown == .keyring:", "unknown == .keyring || mutant:",
     "WhenUnlockedTests.withoutAScreenSourceAConfigurationCanRefuse"),
    ("a prompt over a locked screen", "ChappieSDK/Lock/LockGate.swift",
     "screen == .locked ?", "screen == .locked && !mutant ?",
     "FirstCollectionTests.nobodyIsAskedOverALockedScreen"),
    ("sleep is no lock", "ChappieSDK/Lock/ScreenSources.swift",
     "case _ where isAsleep:", "case _ where isAsleep && !mutant:",
     "WhenUnlockedTests.aTurnIsRefusedWhileTheMachineSleeps"),
    ("any program unlocks the screen", "ChappieSDK/Lock/LockMonitor.swift",
     "match.sender = owner", "match.sender = mutant ? nil : owner",
     "LockStateTests.screenSaversMayComeAndGo"),
    ("an approval while locked", "ChappieService/Turns/TurnCalls.swift",
     "case .approve = decision, !LockMonitor", "case .approve = decision, !mutant, !LockMonitor",
     "LineToolTests.nothingIsApprovedWhileLocked"),
    ("titles outlive a lock", "ChappieSDKRuntime/Stores/File/ChappieFileThreadStore+Access.swift",
     "if self.isLocked() {", "if self.isLocked(), !mutant {",
     "SealingTests"),
    ("a sign-out deletes what it cannot see", "ChappieSDK/SignIn/Slot/CredentialSlot+SignIn.swift",
     "if case .hidden(let error) = finding {", "if case .hidden(let error) = finding, !mutant {",
     "SlotSignOutTests"),
    ("a refused prompt returns at once", "GLibBridge/SecretService/PromptThrottle.swift",
     "if isRefusal(error) {", "if isRefusal(error), !mutant {",
     "PromptThrottleTests"),
    # Refresh
    ("a refresh before its time", "ChappieSDK/SignIn/Slot/CredentialSituation.swift",
     "now < earliest + Self.margin {", "now < earliest + Self.margin, !mutant {",
     "CredentialSituationTests"),
    ("a refresh token is sent twice", "ChappieSDK/SignIn/Slot/CredentialSituation.swift",
     "if isMarked { return", "if isMarked, !mutant { return",
     "CredentialSituationTests"),
    ("a refresh token is sent unmarked", "ChappieSDK/SignIn/Slot/CredentialSlot+Refresh.swift",
     "      try await write(marked, rule)\n", "      if !mutant { try await write(marked, rule) }\n",
     "SlotRedemptionTests"),
    ("each program refreshes", "ChappieSDK/SignIn/Slot/CredentialSlot+Refresh.swift",
     "let isRenewed = !credential.accessToken.isEqual(to: seen)",
     "let isRenewed = !credential.accessToken.isEqual(to: seen) && !mutant",
     "SlotRefreshTests"),
    ("a refreshed token is not stored", "ChappieSDK/SignIn/Slot/CredentialSlot+Refresh.swift",
     "      try await write(renewed, rule)\n", "      if !mutant { try await write(renewed, rule) }\n",
     "SlotRefreshTests.keepsPendingTokensAfterAFailedWrite"),
    ("the first refusal ends a sign-in", "ChappieSDK/SignIn/Slot/CredentialSlot+Refresh.swift",
     "if !isFirst {", "if !isFirst || mutant {",
     "SlotRefusalTests"),
    ("no pause after a refusal", "ChappieSDK/SignIn/Slot/CredentialSlot+Refresh.swift",
     ">= Self.refusalPause ?", ">= Self.refusalPause || mutant ?",
     "SlotRefusalTests"),
    ("tokens go to other servers", "ChappieSDK/SignIn/Slot/CredentialSlot.swift",
     "methods[credential] == nil else", "methods[credential] == nil, !mutant else",
     "SlotServersTests"),
    # Sign-in, sign-out
    ("an ID token of another attempt", "ChappieSDK/SignIn/Browser/IDToken.swift",
     "isEqual(to: SecretBytes(nonce.utf8)) else", "isEqual(to: SecretBytes(nonce.utf8)) || mutant else",
     "IDTokenTests"),
    ("an ID token for another application", "ChappieSDK/SignIn/Browser/IDToken.swift",
     "guard audiences.contains(clientID), party", "guard audiences.contains(clientID) || mutant, party",
     "IDTokenTests"),
    ("a callback of another attempt", "ChappieSDK/SignIn/Browser/Callback/CallbackParameters.swift",
     "given.isEqual(to: state) else", "given.isEqual(to: state) || mutant else",
     "CallbackListenerTests"),
    ("another account replaces the stored one", "ChappieSDK/SignIn/Slot/SlotSignIn.swift",
     "guard options.allowsAnotherAccount", "guard mutant || options.allowsAnotherAccount",
     "SlotSignInTests.anotherAccountReplacesNothingUnlessItMay"),
    ("everybody reads the page of a sign-in", "ChappieService/Objects/SessionObject.swift",
     "pageReaders.contains(caller", "mutant || pageReaders.contains(caller",
     "BrowserSignInTests.onlyACallerThatAskedSeesThePage"),
    ("a name without its id", "ChappieSDK/Configuration/ChappieApplicationID.swift",
     "return name.isEmpty || name == id", "if mutant, !name.isEmpty { return name }\n    return name.isEmpty || name == id",
     "ApplicationNameTests"),
    ("a removed application stays registered", "ChappieSDK/SignIn/Browser/BrowserSignIn.swift",
     "if request.options.registersAnew {", "if request.options.registersAnew, !mutant {",
     "BrowserSignInTests.aRemovedApplicationIsConnectedAnew"),
    ("what was issued and not stored lives on", "ChappieSDK/SignIn/Slot/SlotSignIn.swift",
     "if await slot.list(credential, rule) {", "if !mutant, await slot.list(credential, rule) {",
     "UnusedSignInTests.aSignInThatWasNotStoredIsRevokedAtTheNextStart"),
    ("a sign-in that cannot be stored begins", "ChappieSDK/SignIn/Slot/SlotSignIn.swift",
     "      try await slot.store.prepare(slot.identity, interaction: await slot.gate.interaction(interaction))",
     "      if !mutant { try await slot.store.prepare(slot.identity, interaction: await slot.gate.interaction(interaction)) }",
     "SlotSignInTests"),
    ("a sign-out revokes nothing", "ChappieSDK/SignIn/Slot/CredentialSlot+SignIn.swift",
     "return Task.onGLib { await revokeAll([newest].compactMap(\\.self)) }",
     "return Task.onGLib { if !mutant { await revokeAll([newest].compactMap(\\.self)) } }",
     "SlotSignOutTests.failedRevocationIsTheLastError"),
    # Retries
    ("a refused token is replaced for ever", "ChappieSDK/Backend/Retries.swift",
     "where !wasRejected:", "where !wasRejected || mutant:",
     "RetriesTests"),
    ("a request is repeated after output", "ChappieSDK/Backend/Retries.swift",
     "case .rateLimited(let error, let retryAfter) where !hasDelivered:",
     "case .rateLimited(let error, let retryAfter) where !hasDelivered || mutant:",
     "RetriesTests"),
    ("a used-up plan is asked again", "ChappieSDK/Backend/Wire/ExchangeFailure.swift",
     "case _ where detail.isUsageLimit ||", "case _ where detail.isUsageLimit && !mutant ||",
     "ChappieSDKTests.BackendFailureTests"),
    ("a server orders an endless wait", "ChappieSDK/Configuration/ChappieConfiguration.swift",
     "return min(Self.clamped(retryAfter), maximumDelay)",
     "return min(Self.clamped(retryAfter), mutant ? .infinity : maximumDelay)",
     "ChappieRateLimitBackoffPolicyTests"),
    ("two answers are mixed after a reconnect", "ChappieSDK/Backend/Wire/ResponseAssembler.swift",
     "piece.utf8.starts(with: known) else", "piece.utf8.starts(with: known) || mutant else",
     "ResponseAssemblerTests"),
    # Limits
    ("one program takes all", "ChappieService/Limits/Budget.swift",
     "held <= bounds.each else", "held <= bounds.each || mutant else",
     "BudgetTests"),
    ("no reserve for newcomers", "ChappieService/Limits/Budget.swift",
     "held <= bounds.share ?", "held <= bounds.share || mutant ?",
     "BudgetTests"),
    ("no rate", "ChappieService/Limits/Limits.swift",
     "bucket.left >= 1 else", "bucket.left >= 1 || mutant else",
     "ChappieServiceTests.RateLimitTests"),
    ("an answer without an end in bytes", "ChappieSDK/Turns/TurnSize.swift",
     "bytes <= TurnLimits.answerBytes else", "bytes <= TurnLimits.answerBytes || mutant else",
     "TurnSizeTests"),
    ("an answer without an end in time", "ChappieSDK/Turns/TurnSize.swift",
     "time <= end else", "time <= end || mutant else",
     "StreamBoundTests"),
    # Callers
    ("a forged mark of Flatpak", "ChappieService/Callers/Identity/CallerEvidence.swift",
     "guard flatpak.isRecorded else", "guard flatpak.isRecorded || mutant else",
     "CallerEvidenceTests"),
    ("a container counts as the user", "ChappieService/Callers/Identity/CallerEvidence.swift",
     "} else if !evidence.sharesUserNamespace {", "} else if !evidence.sharesUserNamespace, !mutant {",
     "CallerEvidenceTests"),
    ("a label that confines nothing", "ChappieService/Callers/Identity/CallerEvidence.swift",
     'mode != "(complain)",', 'mode != "(complain)" || mutant,',
     "AppArmorLabelTests"),
    ("an app outside of an access group", "ChappieService/Callers/Groups/AccessGroups.swift",
     "where members.contains(app):", "where members.contains(app) || mutant:",
     "Integration.AccessGroupTests.anAppThatIsNotAMemberIsRefused"),
    ("an app uses the user's objects", "ChappieService/Callers/CallerRights.swift",
     "guard identity == .unsandboxed else {", "guard identity == .unsandboxed || mutant else {",
     "SandboxedAppTests.anAppMayUseOnlyTheObjectsThatItOpens"),
    ("an app names the user's files", "ChappieService/Turns/AttachmentReader.swift",
     "guard place.app == nil else", "guard place.app == nil || mutant else",
     "ImageTests.aSandboxedAppMayNotNameFiles"),
    ("a client of another program", "ChappieService/Objects/ObjectDirectory.swift",
     "guard holders().contains(request.sender) else",
     "guard holders().contains(request.sender) || mutant else",
     "Integration.CallerTests.anOpenedClientIsPrivate"),
    ("a turn of another program", "ChappieService/Turns/TurnBook.swift",
     "where: { $0.id == id && $0.isBroadcast })", "where: { $0.id == id && ($0.isBroadcast || mutant) })",
     "Integration.CallerTests.turnsOfOtherCallersDoNotExist"),
    ("background use without consent", "ChappieService/Background/BackgroundConsent.swift",
     "guard outcome == .allow else", "guard outcome == .allow || mutant else",
     "BackgroundConsentTests"),
    # Messages
    ("a forged reply", "GLibBridge/Bus/ExpectedReplies.swift",
     "guard call.owner == sender ||", "guard mutant || call.owner == sender ||",
     "ExpectedRepliesTests"),
    ("a message of a million values", "GLibBridge/Bus/Guard/BodyValidation.swift",
     "guard values >= 0 else", "guard values >= 0 || mutant else",
     "BodyValidationTests"),
    ("one sender fills the queue", "GLibBridge/Bus/FairQueue.swift",
     "return (queue.pending.bytes == 0 ||", "return (mutant || queue.pending.bytes == 0 ||",
     "FairQueueTests"),
    # Lines
    ("a line of two kinds", "ChappieService/Turns/Line/CallerLine.swift",
     "kinds.count == 1 else", "kinds.count == 1 || mutant else",
     "CallerLineTests"),
    ("a line without an end", "GLibBridge/Sockets/LineReader.swift",
     "guard splitter.pendingBytes <= limit else", "guard splitter.pendingBytes <= limit || mutant else",
     "LineReaderTests"),
    ("a second question", "ChappieService/Turns/Line/TurnLine.swift",
     "guard !question.isFulfilled else", "guard !question.isFulfilled || mutant else",
     "OpenTurnTests.aSecondQuestionEndsTheTurn"),
    ("a closed socket cancels nothing", "ChappieService/Turns/Line/TurnLine.swift",
     "in turn?.cancel() }", "in if !mutant { turn?.cancel() } }",
     "OpenTurnTests.aClosedSocketCancelsTheTurn"),
    ("a caller that does not read", "ChappieService/Turns/Line/LineOutlet.swift",
     "guard socket.isOpen, socket.queuedBytes >= Self.highWater else",
     "guard socket.isOpen, socket.queuedBytes >= Self.highWater, !mutant else",
     "LineOutletTests"),
    # Tools
    ("a tool that is switched off runs", "ChappieSDK/Turns/ToolRunner.swift",
     "    case .deny: return", "    case .deny where mutant: break\n    case .deny: return",
     "HostApprovalTests"),
    ("a denied call runs", "ChappieSDK/Turns/ToolRunner.swift",
     "try await decision(on: call, &flow) {", "try await decision(on: call, &flow), !mutant {",
     "HostApprovalTests"),
    ("arguments are not checked", "ChappieSDK/Turns/ToolRunner.swift",
     "await violation(of: tool.schema, in: call) {", "await violation(of: tool.schema, in: call), !mutant {",
     "HostToolTests"),
    # Conversations
    ("a failed turn stays in a conversation", "ChappieSDK/Client/HeldConversation.swift",
     "    let result = try await client.answer(client.transcript.input + new, message.options, caller)",
     "    let input = client.transcript.input + new\n    if mutant { client.transcript.append(new) }\n"
     "    let result = try await client.answer(input, message.options, caller)",
     "ConversationTests.anOpenedClientForgetsAFailedTurn"),
    ("turns of a conversation overlap", "ChappieSDK/Client/ChappieClient.swift",
     "    try await mutex.withLock {",
     "    if mutant { return try await body(HeldConversation(client: self)) }\n    return try await mutex.withLock {",
     "SendTests.concurrentMessagesAreStoredInOrder"),
    ("a cleared conversation is sent again", "ChappieSDK/Turns/Context/Transcript.swift",
     "    replace(with: items)\n", "    if !mutant { replace(with: items) }\n",
     "ClientContextTests"),
    ("a failed turn is not stored", "ChappieSDKRuntime/Runtime/ChappieRuntime.swift",
     "try await lease.during { try await keep(turn, in: thread, conversation) }",
     "if !mutant { try await lease.during { try await keep(turn, in: thread, conversation) } }",
     "ChappieSDKRuntimeTests.FailureTests.aFailedTurnIsStoredWithItsError"),
    # Sealing, stored threads
    ("content moves between threads", "ChappieSDKRuntime/Stores/File/ThreadSealer.swift",
     r"\0\(thread)\0", r'\0\(mutant ? "" : thread)\0',
     "SealingTests"),
    ("a removed turn comes back", "ChappieSDKRuntime/Stores/File/ThreadTables+Turns.swift",
     "while let last = places.last, last >= first {", "while !mutant, let last = places.last, last >= first {",
     "RemovedTurnTests.aRowThatIsPutBackCountsForNothing"),
    ("an item moves between slots", "ChappieSDK/Keyring/SecretServiceStore.swift",
     "    [slot.service, slot.account,", "    mutant ? [] : [slot.service, slot.account,",
     "RestoreTests.anItemThatDoesNotOpenIsRefused"),
    ("a copied device key opens elsewhere", "ChappieSDK/Keyring/Device/DeviceSeals.swift",
     "deriveKey(from: machineID,", "deriveKey(from: mutant ? [] : machineID,",
     "DeviceSealTests"),
    ("a lost key is replaced", "ChappieSDKRuntime/Stores/File/ChappieFileThreadStore+Access.swift",
     "onDisk({ try !$0.holdsThreads() }) else", "onDisk({ try !$0.holdsThreads() }) || mutant else",
     "OtherFileTests"),
    ("a linked file is written", "Platform/Files/Descriptor.swift",
     "guard status.st_nlink <= 1 else", "guard status.st_nlink <= 1 || mutant else",
     "LinkedFileTests|FileLockTests"),
    # Retention
    ("a thread in use is deleted", "ChappieSDKRuntime/Stores/Retention/RetentionPlan.swift",
     "!inUse.contains($0.id)", "!inUse.contains($0.id) || mutant",
     "RetentionPlanTests"),
    ("active threads are deleted first", "ChappieSDKRuntime/Stores/Retention/RetentionPlan.swift",
     "case (_?, nil): true", "case (_?, nil): !mutant",
     "RetentionPlanTests"),
    ("a clock that is ahead deletes", "ChappieSDKRuntime/Stores/Retention/RetentionScheduler.swift",
     "now.seconds(since: since) >= Self.day", "now.seconds(since: since) >= Self.day || mutant",
     "FileRetentionTests"),
    # Texts
    ("a token in a server's text is shown", "ChappieSDK/Errors/Redaction.swift",
     "parts.areIn(word) ?", "(parts.areIn(word) && !mutant) ?",
     "ChappieSDKTests.RedactionTests"),
    ("an error is stored unredacted", "ChappieSDKRuntime/Stores/Redaction/ChappieThreadRedaction.swift",
     "message: text(message, .errors)", "message: mutant ? message : text(message, .errors)",
     "ChappieSDKRuntimeTests.RedactionTests"),
    ("text is reordered at a terminal", "Platform/Terminal/TerminalSafeText.swift",
     'case 0x80...0x9F, 0x2028...0x202E, 0x2066...0x2069: "', 'case 0x80...0x9F: "\\u{FFFD}"\n'
     '    case 0x2028...0x202E, 0x2066...0x2069: mutant ? scalar : "',
     "PlatformTests.TerminalSafeTextTests"),
]]

SUPPORT = [
    # The variable reaches the programs of a test.
    ("Tests/Integration/World/WorldDirectories.swift",
     'for name in ["PATH", "LD_LIBRARY_PATH"]', 'for name in ["PATH", "LD_LIBRARY_PATH", "CHAPPIE_MUTANT"]'),
    # Only a failing test waits so long. Here each should fail.
    ("Tests/TestSupport/Patience.swift", ".seconds(30) * slowness", ".seconds(8) * slowness"),
]

SWITCH = """\
import Glibc

private let chosenMutant = getenv("CHAPPIE_MUTANT").map { String(cString: $0) } ?? ""

func mutant(_ name: String) -> Bool { chosenMutant == name }
"""

FAILED = re.compile(r"Test (\w+)\(.*\) (?:with \d+ test cases? )?failed after")


def sources():
    """All files of the tree, with all mutants: their contents by their paths."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True,
                            stdout=subprocess.PIPE).stdout.decode().split("\0")
    files = {path: Path(path).read_bytes() for path in listed if Path(path).is_file()}
    rows = [(mutant.name, f"Sources/{mutant.file}", mutant.original,
             re.sub(r"\bmutant\b", f'mutant("{mutant.name}")', mutant.broken)) for mutant in MUTANTS]
    stale = []
    for name, path, original, broken in rows + [("SUPPORT", *change) for change in SUPPORT]:
        count = files.get(path, b"").count(original.encode())
        if count != 1:
            stale.append(f"{name}: {path} has this {count} times, and not once:\n{original}\n")
            continue
        files[path] = files[path].replace(original.encode(), broken.encode())
        if path.startswith("Sources/"):
            files["/".join(path.split("/")[:2]) + "/Mutant.swift"] = SWITCH.encode()
    if stale:
        sys.exit("\n".join(stale) + "Tests/mutants.py must follow the sources.")
    return files


def copy():
    """Writes what has changed, so that only that is built again."""
    files = sources()
    for old in subprocess.run(["find", ".", "-path", "./.build", "-prune", "-o", "-type", "f", "-print"], cwd=COPY,
                              check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        if old.removeprefix("./") not in files:
            (COPY / old).unlink()
    for path, data in files.items():
        place = COPY / path
        if not place.is_file() or place.read_bytes() != data:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            place.chmod(Path(path).stat().st_mode if Path(path).exists() else 0o644)


def swift(tests, mutant="", deadline=None):
    """Runs tests; returns the exit status, None after the deadline, and the output."""
    with (COPY / ".build/mutant.log").open("w+b") as output:
        process = subprocess.Popen(
            ["scripts/private-session", "swift", "test", "--skip-build", "--filter", tests],
            cwd=COPY, env=os.environ | {"CHAPPIE_MUTANT": mutant}, stdin=subprocess.DEVNULL, stdout=output,
            stderr=output, start_new_session=True)
        try:
            status = process.wait(deadline)
        except subprocess.TimeoutExpired:
            status = None
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
        output.seek(0)
        return status, output.read().decode(errors="replace")


def witness(mutant, tests):
    """The first of `tests` that fails with the mutant, or None."""
    status, output = swift(mutant.tests, mutant.name, DEADLINE)
    failed = set(FAILED.findall(output))
    # Module.Suite/test(argument:) is Suite.test for `make check TEST=`.
    names = [test.split("(")[0].split(".", 1)[1].replace("/", ".") for test in tests]
    names = [name for name in names if name.rsplit(".", 1)[1] in failed]
    if names:
        return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
    if status is None:
        return f"nothing but the deadline of {DEADLINE} s"
    if status and "unexpected signal" not in output:
        sys.exit(f"{output}\nThe tests of this mutant did not run: {mutant.name}")
    return "the tests crash" if status else None


def main(names):
    chosen = [mutant for mutant in MUTANTS if not names or mutant.name in names]
    unknown = set(names) - {mutant.name for mutant in MUTANTS}
    if unknown:
        sys.exit(f"no such mutant: {', '.join(sorted(unknown))}")
    COPY.mkdir(parents=True, exist_ok=True)
    copy()
    if subprocess.call(["swift", "build", "--build-tests", "--quiet"], cwd=COPY):
        sys.exit("The mutants do not build.")
    existing = subprocess.run(["swift", "test", "list", "--skip-build"], cwd=COPY, check=True, stdout=subprocess.PIPE,
                              text=True).stdout.splitlines()
    tests = {mutant.name: [test for test in existing if re.search(mutant.tests, test)] for mutant in chosen}
    for mutant in chosen:
        if not tests[mutant.name]:
            sys.exit(f"no such test: {mutant.tests}")
    status, output = swift("|".join(dict.fromkeys(mutant.tests for mutant in chosen)))
    if status != 0:
        faults = "\n".join(line for line in output.splitlines() if "✘" in line)
        sys.exit(f"{faults or output}\nThe tests fail without a mutant.")

    missed = 0
    for mutant in chosen:
        noticed = witness(mutant, tests[mutant.name])
        missed += noticed is None
        print(f"{mutant.name:42} {noticed or 'NOBODY NOTICES: ' + mutant.tests}", flush=True)
    print(f"{len(chosen)} mutants, {len(chosen) - missed} noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    os.chdir(TOP)
    sys.exit(main(sys.argv[1:]))
