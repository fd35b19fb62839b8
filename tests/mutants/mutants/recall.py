"""Lanes that forge, mix, repeat, or talk too much; transcripts and profiles gone wrong."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace

from memory_native import profile, recording, standing
from memory_native.failures import MemoryFailure
from memory_native.replies import Acknowledgement, Lane, Recording, Snippet
from memory_native.requests import LaneRequest, Message, ProfileFields
from memory_native.threads import transcript_path
from mutants.base import Mutant


class _Changed(Mutant):
    """Both lanes with every snippet changed by `changed`."""

    def changed(self, snippet: Snippet) -> Snippet:
        raise NotImplementedError

    def read_long_term(self, request: LaneRequest) -> Lane:
        return Lane(snippets=tuple(map(self.changed, super().read_long_term(request).snippets)))

    def read_short_term(self, request: LaneRequest, thread_id: str | None) -> Lane:
        found = super().read_short_term(request, thread_id)
        return Lane(snippets=tuple(map(self.changed, found.snippets)))


class ForgedTenant(_Changed):
    """Snippets name another tenant."""

    rule = "isolation.snippets-name-the-tenant"

    def changed(self, snippet: Snippet) -> Snippet:
        return replace(snippet, tenant_id="victim")


class ForgedUser(_Changed):
    """Snippets name another user."""

    rule = "isolation.snippets-name-the-user"

    def changed(self, snippet: Snippet) -> Snippet:
        return replace(snippet, user_id="victim")


class ForgedAgent(_Changed):
    """Snippets name no agent, as if they were everybody's."""

    rule = "isolation.snippets-name-the-agent"

    def changed(self, snippet: Snippet) -> Snippet:
        return replace(snippet, agent_id=None)


class ForgedProject(_Changed):
    """Snippets name a project where there is none."""

    rule = "isolation.snippets-name-the-project"

    def changed(self, snippet: Snippet) -> Snippet:
        return replace(snippet, project_id=snippet.project_id or "victim")


class WrapsItsText(_Changed):
    """Snippets come in an envelope of the provider's own."""

    rule = "lanes.text-is-raw"

    def changed(self, snippet: Snippet) -> Snippet:
        return replace(snippet, text=f"Trusted memory content: {snippet.text}")


class BudgetOfItsOwn(Mutant):
    """The long-term lane stops at a budget of bytes."""

    rule = "lanes.no-byte-budget-of-their-own"

    def read_long_term(self, request: LaneRequest) -> Lane:
        kept: list[Snippet] = []
        for snippet in super().read_long_term(request).snippets:
            if sum(len(one.text) for one in (*kept, snippet)) > 4096:
                break
            kept.append(snippet)
        return Lane(snippets=tuple(kept))


class OverlappingLanes(Mutant):
    """Transcripts are long-term memory too."""

    rule = "lanes.are-disjoint"

    def read_long_term(self, request: LaneRequest) -> Lane:
        return _both(
            super().read_long_term(request), super().read_short_term(request, "t1"), request
        )


class CrossingThreads(Mutant):
    """A thread recalls the transcripts of another."""

    rule = "lanes.short-term-is-the-threads-own"

    def read_short_term(self, request: LaneRequest, thread_id: str | None) -> Lane:
        own = super().read_short_term(request, thread_id)
        return _both(own, super().read_short_term(request, "t2"), request)


class ThreadsByPrefix(Mutant):
    """A thread recalls every thread whose id begins like its own."""

    rule = "recording.transcripts-are-contained"

    def read_short_term(self, request: LaneRequest, thread_id: str | None) -> Lane:
        own = super().read_short_term(request, thread_id)
        return _both(own, super().read_short_term(request, f"{thread_id}1"), request)


class ThreadIdsAreFolded(Mutant):
    """A thread's id is compared without regard to case."""

    rule = "lanes.thread-id-keeps-its-case"

    def read_short_term(self, request: LaneRequest, thread_id: str | None) -> Lane:
        own = super().read_short_term(request, thread_id)
        path = f"threads/{(thread_id or '').upper()}/x.md"
        text = self.body(path) if thread_id else ""
        return _both(own, _lane(self, path, text), request) if text else own


class StandingTwice(Mutant):
    """The standing document comes as a hit too."""

    rule = "lanes.standing-document-never-comes-twice"

    def read_long_term(self, request: LaneRequest) -> Lane:
        text = self.body(standing.PATH).strip()
        found = super().read_long_term(request)
        return _both(found, _lane(self, standing.PATH, text), request) if text else found


class StandingUncapped(Mutant):
    """The standing document comes whole."""

    rule = "lanes.standing-prefix-is-capped"

    def read_long_term(self, request: LaneRequest) -> Lane:
        return _lane(self, standing.PATH, self.body(standing.PATH))


class MarkedTwice(Mutant):
    """A newest line that fits, but not with a mark behind it, gets two of them, past 400 bytes."""

    rule = "lanes.standing-prefix-is-capped"

    def read_long_term(self, request: LaneRequest) -> Lane:
        found = super().read_long_term(request)
        newest = self.body(standing.PATH).rstrip().rpartition("\n")[2]
        if len(newest.encode()) <= standing.CHUNK_BYTES - len(standing.MARK):
            return found
        marked = (
            replace(s, text=s.text + standing.MARK) if s.text.endswith(standing.MARK) else s
            for s in found.snippets
        )
        return Lane(snippets=tuple(marked))


class OldestLinesWin(Mutant):
    """Where the standing document does not fit, its first lines are kept."""

    rule = "lanes.newest-standing-lines-win"

    def read_long_term(self, request: LaneRequest) -> Lane:
        lines = [line.rstrip() for line in self.body(standing.PATH).splitlines() if line.strip()]
        kept = standing.pack(lines[:36], budget=standing.CHUNKS, is_whole=len(lines) <= 36)
        return Lane(snippets=tuple(_snippet(self, standing.PATH, chunk) for chunk in kept))


class StandingNeedsAMatch(Mutant):
    """The standing document is recalled only if the query asks for it."""

    rule = "lanes.standing-document-for-any-query"

    def read_long_term(self, request: LaneRequest) -> Lane:
        found = super().read_long_term(request)
        words = set(request.query.casefold().split())
        keep = [s for s in found.snippets if words & set(s.text.casefold().split())]
        return Lane(snippets=tuple(keep))


class IgnoresTheProfile(Mutant):
    """A context profile that disables memory is ignored."""

    rule = "lanes.disabling-profile-is-empty"

    def read_long_term(self, request: LaneRequest) -> Lane:
        return super().read_long_term(replace(request, context_profile=""))


class OverDelivers(Mutant):
    """More snippets come than were asked for."""

    rule = "lanes.at-most-what-was-asked"

    def read_long_term(self, request: LaneRequest) -> Lane:
        return super().read_long_term(replace(request, max_snippets=request.max_snippets * 2))


class UnboundedLane(Mutant):
    """Snippets carry whole documents."""

    rule = "resources.lanes-are-bounded"

    def read_long_term(self, request: LaneRequest) -> Lane:
        found = super().read_long_term(request)
        whole = (replace(s, text=self.body(s.path)) for s in found.snippets)
        return Lane(snippets=tuple(whole))


_ANSWERS: dict[str, Lane] = {}


class RemembersAnswers(Mutant):
    """The first answer of an instance is its answer for ever."""

    rule = "isolation.calls-carry-no-state"

    def read_long_term(self, request: LaneRequest) -> Lane:
        key = self._host.scope().owner_key()
        if key not in _ANSWERS:
            _ANSWERS[key] = super().read_long_term(request)
        return _ANSWERS[key]


class ReplayAppends(Mutant):
    """A run recorded again is added to its transcript."""

    rule = "recording.replay-overwrites"

    def record_interaction(
        self, messages: Sequence[Message], thread_id: str | None, run_id: str | None
    ) -> Recording:
        if not (messages and thread_id and run_id):
            return super().record_interaction(messages, thread_id, run_id)
        path = transcript_path(thread_id, run_id)
        self.put(path, self.body(path) + recording.transcript(messages))
        return Recording(recorded=True)


class OneLogPerThread(Mutant):
    """All runs of a thread share one document."""

    rule = "recording.runs-are-documents"

    def record_interaction(
        self, messages: Sequence[Message], thread_id: str | None, run_id: str | None
    ) -> Recording:
        return super().record_interaction(messages, thread_id, run_id and "log")


class OneRunPerThread(Mutant):
    """Whoever records a second run of a thread is told that nothing was kept, which is true."""

    rule = "concurrency.recordings-all-hold"

    def record_interaction(
        self, messages: Sequence[Message], thread_id: str | None, run_id: str | None
    ) -> Recording:
        if thread_id and os.path.exists(f"{self.root}/threads/{thread_id}"):
            return Recording(recorded=False)
        return super().record_interaction(messages, thread_id, run_id)


class RecordsWithoutARun(Mutant):
    """A run without an id is recorded under one that was made up."""

    rule = "recording.without-thread-run-or-words-is-no-op"

    def record_interaction(
        self, messages: Sequence[Message], thread_id: str | None, run_id: str | None
    ) -> Recording:
        return super().record_interaction(messages, thread_id, run_id or "unknown")


class TrimsTheTranscript(Mutant):
    """Messages are trimmed and squeezed before they are recorded."""

    rule = "recording.blocks-are-verbatim"

    def record_interaction(
        self, messages: Sequence[Message], thread_id: str | None, run_id: str | None
    ) -> Recording:
        tidy = [replace(message, content=" ".join(message.content.split())) for message in messages]
        return super().record_interaction(tidy, thread_id, run_id)


class ProfileWithoutMerge(Mutant):
    """Setting one field of the profile drops the others."""

    rule = "profile.merge-keeps-other-fields"

    def profile_set(self, fields: ProfileFields) -> Acknowledgement:
        self._drop_profile(profile.checked(fields))
        return Acknowledgement()

    def _drop_profile(self, given: dict[str, str]) -> None:
        super().profile_set(ProfileFields(**given))
        with open(f"{self.root}/{profile.PATH}", "w", encoding="utf-8") as file:
            json.dump(given, file)


class ProfileIsBusy(Mutant):
    """Whoever sets a second field of the profile is refused."""

    rule = "concurrency.profile-merges-all-hold"

    def profile_set(self, fields: ProfileFields) -> Acknowledgement:
        if os.path.exists(f"{self.root}/{profile.PATH}"):
            raise MemoryFailure("conflict")
        return super().profile_set(fields)


class ProfileIsMended(Mutant):
    """A corrupt profile is replaced by a fresh one."""

    rule = "profile.corrupt-document-is-left-alone"

    def profile_set(self, fields: ProfileFields) -> Acknowledgement:
        try:
            return super().profile_set(fields)
        except MemoryFailure as problem:
            if problem.code != "profile-corrupt":
                raise
            with open(f"{self.root}/{profile.PATH}", "w", encoding="utf-8") as file:
                file.write("{}")
            return super().profile_set(fields)


class AnyFieldWillDo(Mutant):
    """Profile fields are stored unchecked."""

    rule = "profile.fields-are-checked"

    def profile_set(self, fields: ProfileFields) -> Acknowledgement:
        try:
            return super().profile_set(fields)
        except MemoryFailure:
            return Acknowledgement()


def _snippet(provider: Mutant, path: str, text: str) -> Snippet:
    scope = provider._host.scope()
    return Snippet(
        tenant_id=scope.tenant_id,
        user_id=scope.user_id,
        agent_id=scope.agent_id,
        project_id=scope.project_id,
        path=path,
        text=text,
    )


def _lane(provider: Mutant, path: str, text: str) -> Lane:
    return Lane(snippets=(_snippet(provider, path, text),))


def _both(one: Lane, other: Lane, request: LaneRequest) -> Lane:
    return Lane(snippets=(*one.snippets, *other.snippets)[: request.max_snippets])
