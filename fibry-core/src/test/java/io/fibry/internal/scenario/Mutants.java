package io.fibry.internal.scenario;

import static io.fibry.internal.scenario.Change.behind;
import static io.fibry.internal.scenario.Change.condition;
import static io.fibry.internal.scenario.Change.drop;
import static io.fibry.internal.scenario.Change.empty;
import static io.fibry.internal.scenario.Change.lastArgument;
import static io.fibry.internal.scenario.Change.overwrite;
import static io.fibry.internal.scenario.Change.part;
import static io.fibry.internal.scenario.Change.preceded;
import static io.fibry.internal.scenario.Change.replaced;
import static io.fibry.internal.scenario.Change.value;
import static io.fibry.internal.scenario.Change.withoutOperand;

import java.util.List;

/**
 * All mutants. The statement that each of them changes is one that the engine cannot do without; a comment with the mutant's id
 * is before it.
 */
final class Mutants {
    static final List<Mutant> ALL = List.of(
            // ---- The mailbox. ----
            new Mutant("sender-does-not-wake-the-actor", "send-or-idle", empty()),
            new Mutant("actor-goes-idle-without-a-look", "send-or-idle", overwrite()),
            new Mutant("sender-overwrites-the-node-of-another", "send-or-idle", overwrite()),
            new Mutant("bounded-actor-goes-idle-without-a-look", "send-or-idle",
                    withoutOperand(0).and(overwrite())),
            new Mutant("link-is-set-before-the-cas-is-won", "send-or-idle,bounded", overwrite()),
            new Mutant("turn-takes-from-a-bounded-mailbox-directly", "bounded", value("true")),
            new Mutant("bound-is-off-by-one", "bounded", part("policy.capacity()", "$ + 1")),
            new Mutant("nodes-are-not-numbered", "bounded", part("1", "0")),
            new Mutant("wake-up-for-room-is-not-passed-on", "bounded", drop()).foundBy(275),
            new Mutant("nobody-is-woken-when-there-is-room", "bounded", drop()),
            new Mutant("room-for-one-is-taken-for-room-for-all", "block-cycle",
                    part("woken", "target.hasSpace()")),
            new Mutant("actor-leaves-a-chunk-that-is-not-sealed", "chunked-backlog", drop()),
            new Mutant("chunk-is-sealed-over-a-claim", "chunked-backlog", overwrite()),
            new Mutant("chunk-takes-the-place-of-another-node", "chunked-backlog", overwrite()),
            new Mutant("node-takes-the-place-of-another-chunk", "chunked-backlog", overwrite()),
            new Mutant("closed-chunk-takes-messages", "chunked-backlog",
                    condition("newest instanceof Chunk chunk && chunk.slots.length == 0")),
            new Mutant("claimed-slot-is-not-awaited", "chunked-backlog", drop()),
            new Mutant("message-left-over-in-a-chunk-is-lost", "chunked-backlog",
                    replaced("chunk.entryAsNode();")),
            new Mutant("dropped-oldest-is-not-reported", "bounded", drop()),
            new Mutant("message-is-handed-over-after-going-idle", "receive", preceded("""
                    extended.handover = null;
                    var busy = !cell.becomeIdle(turn.last());
                    assert Interleave.here();
                    extended.handover = handover;""").and(condition("busy"))),
            new Mutant("receive-gives-up-without-the-mailbox", "receive", value("turn.last()")),
            new Mutant("messages-put-aside-are-forgotten", "stash", drop()),
            new Mutant("message-put-aside-is-lost-at-the-end", "stash", drop()),
            // ---- The end. ----
            new Mutant("late-sender-opens-the-mailbox-again", "send-or-stop", drop()),
            new Mutant("message-left-over-is-lost", "send-or-stop", drop()),
            new Mutant("message-left-over-in-a-bounded-mailbox-is-lost", "bounded", drop()),
            new Mutant("message-passed-over-is-lost", "receive", drop()),
            new Mutant("idle-mailbox-is-closed-without-a-look", "send-or-stop", overwrite()),
            new Mutant("exit-hooks-run-twice", "send-or-stop", replaced("$ $")),
            new Mutant("late-resource-is-not-closed", "send-or-stop", value("hooks")),
            new Mutant("idle-actor-ends-without-its-hooks", "send-or-stop", drop()),
            new Mutant("name-is-free-before-the-hooks", "name-reuse,scope-close",
                    preceded("cell.spec().scope().freeName(cell);")),
            new Mutant("actor-is-unlisted-before-its-end-is-told", "scope-close,makings",
                    preceded("unlist(cell);")),
            new Mutant("listener-that-closes-waits-until-an-end-is-told", "closing-listeners",
                    value("false")),
            new Mutant("scope-is-unlisted-before-its-actors-have-exited", "scope-close", withoutOperand(1)),
            new Mutant("waiters-are-told-before-the-hooks", "send-or-stop",
                    preceded("extended.exited.open();")),
            new Mutant("name-of-another-is-freed", "name-reuse", withoutOperand(1)),
            new Mutant("late-maker-of-a-name-fails", "find-or-make", drop()),
            new Mutant("stopping-actor-is-found", "find-or-make", condition("!cell.hasClosed()")),
            new Mutant("name-is-given-to-two-actors", "find-or-make", value("new Taken(cell)")),
            new Mutant("kept-messages-are-forgotten", "name-reuse", drop()),
            new Mutant("actor-is-made-in-a-closed-scope", "scope-close", condition(false)),
            new Mutant("one-look-is-taken-for-quiet", "scope-drain", withoutOperand(1)),
            new Mutant("drain-trusts-its-first-look", "scope-drain", condition("seen != null && ($)"))
                    .foundBy(2074),
            new Mutant("closing-scope-refuses-its-own-messages", "scope-drain", condition(false)),
            new Mutant("lost-probe-is-waited-for", "scope-drain,scope-close", drop()),
            new Mutant("place-is-taken-twice", "overload,turnstiles", overwrite()),
            new Mutant("lost-message-keeps-its-place", "overload", drop()),
            new Mutant("cancelled-ask-keeps-its-place", "overload", drop()),
            new Mutant("places-are-given-back-twice", "overload", value("places.get()")),
            new Mutant("refused-message-keeps-its-places", "overload", drop()),
            new Mutant("place-is-given-back-and-nobody-is-woken", "blocked-by-scope", drop()),
            new Mutant("wake-up-for-a-place-is-not-passed-on", "blocked-by-scope", drop()).foundBy(589),
            new Mutant("sender-that-joins-does-not-look-again", "blocked-by-scope", preceded("""
                    if (places.hasRoom()) {
                        return null;
                    }
                    assert Interleave.here();""").and(replaced("$ if (nanos > 0) { Parking.park(this); }"))),
            new Mutant("actor-waits-for-room-in-its-own-scope", "blocked-by-scope", drop()),
            new Mutant("handler-that-ends-lets-nobody-in", "turnstiles", drop()),
            new Mutant("turn-that-runs-twice-leaves-twice", "turnstiles", overwrite()),
            new Mutant("poison-pill-overtakes-messages", "send-or-stop",
                    preceded("exit(Reason.POISON_PILL);")),
            new Mutant("exit-waits-for-messages", "send-or-stop", drop()),
            new Mutant("forced-stop-does-not-interrupt", "send-or-stop", drop()),
            new Mutant("idle-actor-is-told-of-its-end-before-its-interrupt", "stop-at-once",
                    behind(1, "assert io.fibry.internal.memory.Interleave.here();")),
            new Mutant("actor-that-has-answered-is-forced", "stop-at-once", drop()),
            new Mutant("child-is-told-to-end-before-it-is-forced", "stop-at-once", condition(true))
                    .foundBy(3697),
            new Mutant("waiters-are-not-woken-by-the-end", "send-or-stop", drop()),
            // ---- Answers, interrupts, timers. ----
            new Mutant("ask-of-a-stopped-actor-is-not-answered", "ask-or-stop", drop()),
            new Mutant("answered-ask-keeps-its-timer", "ask-or-stop,cancel", drop()),
            new Mutant("cancel-interrupts-any-handler", "cancel", withoutOperand(0)),
            new Mutant("turn-does-not-wait-for-the-interrupt", "force-or-next", condition(false)),
            new Mutant("interrupt-reaches-the-next-message", "send-or-idle", drop()),
            new Mutant("tick-of-a-cancelled-timer-is-handled", "timers-or-stop,cancel-or-tick", empty()),
            new Mutant("tick-is-taken-without-a-claim", "cancel-or-tick", overwrite()).foundBy(396),
            new Mutant("timer-is-cancelled-while-its-handler-begins", "cancel-or-tick", value("true")),
            new Mutant("cancelled-job-runs", "cancel-or-tick", empty()),
            new Mutant("timers-outlive-their-actor", "timers-or-stop", drop()),
            new Mutant("idle-stop-overtakes-messages", "idle-stop", overwrite()),
            new Mutant("idle-stop-overtakes-messages-in-a-bounded-mailbox", "idle-stop",
                    withoutOperand(0).and(overwrite())),
            new Mutant("idle-stop-ignores-work", "idle-stop", withoutOperand(0)).foundBy(592),
            new Mutant("idle-stop-closes-the-mailbox-twice", "idle-stop", condition(true)),
            new Mutant("timer-of-an-idle-stop-outlives-the-actor", "idle-stop", drop()),
            new Mutant("actor-of-a-key-retires-while-a-sender-has-it", "keyed-revival", drop()),
            new Mutant("next-actor-of-a-key-does-not-wait", "keyed-revival", lastArgument("false")),
            new Mutant("next-actor-of-a-key-is-not-started", "keyed-revival", drop()),
            new Mutant("late-next-actor-of-a-key-is-not-started", "keyed-revival", empty()),
            new Mutant("cycle-is-not-looked-at-again", "ask-cycle", condition(true)).foundBy(774),
            new Mutant("cycles-are-not-looked-for", "ask-cycle", condition(false)),
            // ---- Deadlines and what is taken back. ----
            new Mutant("limit-of-another-is-lost", "limits", overwrite()),
            new Mutant("limit-ends-early", "limits", condition(false)),
            new Mutant("new-limit-is-overslept", "limits", withoutOperand(2)),
            new Mutant("timer-thread-ends-past-a-new-limit", "limits", part("newLimits.isEmpty()", "true")),
            new Mutant("cancelled-limit-keeps-the-timer-thread", "limits", condition(false)),
            new Mutant("late-answer-is-left", "limits", condition(false)),
            new Mutant("late-answer-wakes-no-thread", "late-answer,hurry", drop()),
            new Mutant("callback-of-a-late-answer-is-called-by-its-reader", "late-answer", overwrite()),
            new Mutant("time-left-is-not-handed-on", "hurry", condition(false)),
            new Mutant("late-ask-begins-before-its-timer-rings", "hurry", drop()),
            new Mutant("deadline-outlives-its-message", "hurry", drop()),
            new Mutant("ask-taken-back-keeps-its-place", "take-back", drop()),
            new Mutant("ask-not-taken-back-gives-its-place-back", "take-back", withoutOperand(1)),
            new Mutant("ask-taken-back-is-taken-twice", "take-back", overwrite()),
            new Mutant("ask-taken-back-is-not-counted", "take-back", drop()),
            new Mutant("actor-below-is-not-held-up", "ask-cycle", drop()).foundBy(483),
            new Mutant("wait-that-is-over-stays-an-edge", "ask-cycle", value("true")),
            // ---- Context. ----
            new Mutant("context-of-a-message-stays", "baggage",
                    replaced("Carried.restore(carried()); super.handle(turn);")),
            new Mutant("ask-carries-nothing", "baggage,scoped", replaced("super.handle(turn);")),
            new Mutant("ask-without-scoped-values-is-handled-among-some", "scoped", condition(false)),
            new Mutant("message-without-scoped-values-is-handled-among-some", "scoped", condition(false)),
            new Mutant("turn-goes-on-with-other-scoped-values", "scoped", withoutOperand(2)),
            new Mutant("moved-message-is-lost", "scoped", drop()),
            new Mutant("places-do-not-go-with-the-message", "scoped", lastArgument("null")),
            new Mutant("context-is-not-restored", "baggage", value("() -> { }")),
            // ---- Turns and counters. ----
            new Mutant("turn-runs-twice", "send-or-idle,give-way", value("token")),
            new Mutant("rest-of-a-turn-begins-again", "give-way", drop()),
            new Mutant("expired-ask-is-not-counted", "cancel", drop()),
            new Mutant("lost-message-is-not-counted", "send-or-stop", drop(2)),
            new Mutant("last-turn-keeps-its-count", "send-or-stop", drop()),
            new Mutant("request-to-exit-is-seen-too-late", "stop-from-inside,send-or-stop",
                    condition("entry == null && cell.exitRequested() && cell.isIdle()")),
            // ---- Stand-in threads. ----
            new Mutant("abandoned-thread-sets-timers", "abandon", condition("$ && !mine.isAbandoned()")),
            new Mutant("abandoned-handler-ends-like-any-other", "abandon", overwrite()),
            new Mutant("ended-handler-is-abandoned", "abandon",
                    preceded("assert Interleave.here();").and(overwrite())),
            new Mutant("missed-interrupt-reaches-the-next-message", "abandon", drop()),
            new Mutant("stand-in-does-not-clear-its-interrupt", "abandon", drop()).foundBy(207),
            new Mutant("interrupt-of-a-stand-in-is-not-passed-on", "abandon", drop(2)),
            new Mutant("handler-that-leaves-does-not-wake-the-turn", "abandon", drop()),
            new Mutant("handler-that-ends-does-not-wake-the-turn", "abandon", drop()),
            new Mutant("abandoned-stand-in-gets-the-next-message", "abandon", drop()),
            new Mutant("idle-stand-in-stays", "abandon", drop()),
            new Mutant("stand-in-outlives-its-actor", "abandon", drop()),
            new Mutant("scope-keeps-an-abandoned-handler-that-has-ended", "abandon", drop()),
            // ---- Supervision. ----
            new Mutant("pause-begins-after-a-request-to-exit", "restarts", withoutOperand(1)),
            new Mutant("request-to-exit-does-not-end-a-pause", "restarts", drop()),
            new Mutant("turn-after-a-pause-forgets-its-last-node", "restarts",
                    lastArgument("new StopNode(Reason.EXIT)")),
            new Mutant("late-watcher-does-not-look", "watches", drop()),
            new Mutant("watchers-are-told-before-the-end", "watches", behind(2, "assert Interleave.here();")),
            new Mutant("rest-of-a-group-is-all-of-it", "groups", part("isAfter", "true")),
            new Mutant("members-start-before-others-have-ended", "groups", replaced("one.sendPoisonPill();")),
            new Mutant("messages-of-a-member-are-lost-with-it", "groups", drop()),
            new Mutant("watcher-of-an-end-is-taken-for-idle", "group-drain",
                    value("select(cell -> !cell.hasExited())")),
            new Mutant("watcher-in-the-scope-around-is-taken-for-idle", "watched-below",
                    value("cell == null || cell.hasExited()")),
            new Mutant("late-member-leaves-its-messages-to-nobody", "heirs", drop()),
            new Mutant("inherited-messages-nobody-takes-are-not-lost", "heirs", drop()),
            new Mutant("inherited-messages-of-an-actor-not-made-are-lost", "heirs,makings",
                    lastArgument("node -> { }")).foundBy(176),
            new Mutant("actor-runs-before-it-is-made", "makings", condition(true)),
            new Mutant("hooks-run-of-an-actor-not-made", "makings", value("hooks")),
            new Mutant("child-is-made-too-late", "makings", value("true")),
            new Mutant("waiters-for-an-actor-not-made-are-not-told", "makings", drop()).foundBy(1139),
            new Mutant("waiters-for-an-actor-not-made-with-hooks-are-not-told", "makings", drop())
                    .foundBy(1694),
            // ---- Lanes. ----
            new Mutant("actor-holds-up-another-after-it-has-left-its-stack", "left-stack",
                    condition("below.waiting() == null")),
            new Mutant("thread-name-outlives-its-turn", "lane-rescue", condition(true)).foundBy(177),
            new Mutant("thread-name-outlives-the-upper-turn", "lane-rescue", condition(false)),
            new Mutant("late-thread-name-stays", "lane-rescue", overwrite()),
            new Mutant("slot-is-never-rescued", "lane-rescue", condition(true)),
            new Mutant("turn-in-the-slot-runs-elsewhere-too", "lane-rescue",
                    preceded("lanes.startFresh(next);")),
            new Mutant("monitor-shares-a-turn-silently", "lane-rescue", drop()).foundBy(537),
            new Mutant("lane-does-not-see-a-shared-turn", "lane-rescue", drop()).foundBy(537),
            new Mutant("next-turn-is-not-put-back", "lane-rescue", drop(2)).foundBy(11_387),
            new Mutant("no-handler-is-known-to-block", "lane-rescue", drop()),
            new Mutant("actor-ends-on-the-stack-of-its-asker", "ask-dag", drop()),
            new Mutant("message-taken-before-the-end-is-lost", "ask-dag", value("taken")),
            new Mutant("nested-turn-completes-the-wrong-answer", "lane-rescue",
                    part("answer", "(until == null ? answer : (Answer<@Nullable Object>) until)")),
            new Mutant("lane-runs-any-actor-on-top", "lane-rescue", withoutOperand(1)),
            new Mutant("lane-does-not-register", "lane-rescue", condition(false)),
            new Mutant("displaced-turn-is-lost", "lane-rescue", drop()),
            new Mutant("lane-leaves-without-a-look", "asked-again", condition("$ && false")),
            new Mutant("lane-that-stays-is-not-found", "asked-again", value("false")),
            new Mutant("lane-takes-the-place-of-another", "asked-again", withoutOperand(0).and(overwrite())),
            new Mutant("two-turns-are-left-to-one-lane", "asked-again",
                    part("state == FREE", "state != null").and(overwrite())),
            new Mutant("turn-left-to-a-lane-starts-elsewhere-too", "asked-again", condition("$ || true")),
            new Mutant("nobody-comes-for-the-overflow", "spread", drop()),
            new Mutant("helper-does-not-send-another", "spread", part("old != null", "old == null"))
                    .foundBy(1480),
            new Mutant("owned-backlog-is-taken-over", "spread", withoutOperand(0).and(overwrite())),
            new Mutant("nobody-sees-what-a-lane-has-taken-along", "spread", drop()),
            new Mutant("turn-does-not-see-an-earlier-request-to-exit", "stop-from-inside,send-or-stop",
                    drop()));

    private Mutants() {
    }
}
