package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.dump.ActorDump;
import io.fibry.dump.DumpOptions;
import io.fibry.dump.ScopeDump;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * What a test says of a whole scope: that it is idle, and that nothing was lost in it. The methods are thread-safe.
 *
 * <p>A body, such as that of {@link io.fibry.ActorBuilder#newReceivingActor(io.fibry.function.Handler)}, may run for
 * ever, so it is not waited for, except that {@code assertNothingLost} waits until it has handled the messages that came.
 */
public final class ScopeAssertions {
    private static final DumpOptions ALL = DumpOptions.defaults().withActors(Integer.MAX_VALUE).withFrames(0);

    /** Between two looks whether bodies have handled what came. */
    private static final long LOOK_NANOS = 1_000_000;

    private ScopeAssertions() {
    }

    /**
     * Waits until no actor of a scope, and of the scopes inside it, handles a message or has one waiting, up to five seconds.
     *
     * @param scope the scope
     * @throws AssertionError if an actor is still busy then
     */
    public static void awaitIdle(ActorScope scope) {
        awaitIdle(scope, TestWait.DEFAULT);
    }

    /**
     * Waits until no actor of a scope, and of the scopes inside it, handles a message or has one waiting. Timers are not waited
     * for, and the clock of the scope is not moved.
     *
     * @param scope the scope
     * @param within how long to wait in real time, more than zero
     * @throws AssertionError if an actor is still busy then; it shows what the actors do
     */
    public static void awaitIdle(ActorScope scope, Duration within) {
        Objects.requireNonNull(scope, "scope");
        TestWait.checked(within);
        try {
            if (!scope.awaitIdle(within)) {
                throw new FailureText("scope '" + scope.name() + "' is not idle; the limit was " + within)
                        .dump(scope).error();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while the test waited for scope '" + scope.name()
                    + "' to be idle", e);
        }
    }

    /**
     * Fails if something was lost in a scope, or in an open scope inside it, or is left there. As {@link
     * #assertNothingLost(ActorScope, Duration)} within five seconds.
     *
     * @param scope the scope
     * @throws AssertionError if something was lost, or is left
     */
    public static void assertNothingLost(ActorScope scope) {
        assertNothingLost(scope, TestWait.DEFAULT);
    }

    /**
     * Fails if something was lost in a scope, or in an open scope inside it, or is left there. The method waits until
     * the actors are idle, and bodies have handled what came, and then looks for:
     *
     * <ul>
     * <li>messages that were undelivered, refused, dropped or expired since the scope was opened;
     * <li>messages that are kept for a name, or that an actor has put aside;
     * <li>asks without an answer: those that wait, and those whose actor has deferred the reply;
     * <li>timers of actors, and scheduled jobs;
     * <li>actors that are still busy, or that have not ended although their scope is closed;
     * <li>threads that were abandoned and still run.
     * </ul>
     *
     * <p>A message on which a handler has failed is not lost: see {@link Recorder}. The method may be called before
     * the scope is closed, and after that.
     *
     * @param scope the scope
     * @param within how long to wait in real time, more than zero
     * @throws AssertionError if something was lost, or is left; it says what, in each scope, and shows the dump
     */
    public static void assertNothingLost(ActorScope scope, Duration within) {
        var begin = System.nanoTime();
        awaitIdle(scope, within);
        var dump = scope.dump(ALL).scope();
        while (dump.allWaiting() > 0 && System.nanoTime() - begin < TestWait.nanos(within)) {
            LockSupport.parkNanos(LOOK_NANOS);
            awaitIdle(scope, within); // a body may have sent to actors
            dump = scope.dump(ALL).scope();
        }
        var found = new ArrayList<String>();
        collect(dump, found);
        if (!found.isEmpty()) {
            var text = new FailureText(
                    "scope '" + scope.name() + "' has lost something, or something is left in it")
                    .line("found:");
            found.forEach(each -> text.line("  " + each));
            throw text.dump(scope).error();
        }
    }

    private static void collect(ScopeDump scope, List<String> found) {
        var at = " in scope '" + scope.name() + "'";
        var counters = scope.counters();
        note(found, "messages lost" + at, counters.undelivered() + counters.refused() + counters.dropped(),
                ", by cause: " + scope.lost());
        note(found, "messages expired" + at, counters.expired(),
                ", by " + names(scope, actor -> actor.counters().expired() > 0));
        if (!scope.firstLost().isEmpty()) {
            found.add("the first that were lost or expired" + at + ": "
                    + String.join("; ", scope.firstLost()));
        }
        note(found, "messages that still wait" + at, scope.waiting(), "");
        note(found, "messages kept for names that no actor has" + at, scope.kept(), "");
        note(found, "scheduled jobs" + at, scope.jobs(), "");
        note(found, "abandoned threads that still run" + at, scope.abandoned(), "");
        if (scope.state() == ScopeDump.State.CLOSED) {
            note(found, "actors that have not ended" + at + ", which is closed", scope.actors(), "");
        }
        sum(scope, found, ActorDump::putAside, "messages put aside" + at);
        sum(scope, found, ActorDump::owed, "deferred replies to open asks" + at);
        sum(scope, found, ActorDump::timers, "timers set" + at);
        scope.scopes().forEach(inner -> collect(inner, found));
    }

    private static void sum(ScopeDump scope, List<String> found, ToIntFunction<ActorDump> part, String what) {
        note(found, what, scope.shown().stream().mapToInt(part).sum(),
                ", by " + names(scope, actor -> part.applyAsInt(actor) > 0));
    }

    /** Returns the names of the matching actors that have not ended. */
    private static String names(ScopeDump scope, Predicate<ActorDump> isMeant) {
        return FailureText.of(
                scope.shown().stream().filter(isMeant).map(actor -> "'" + actor.name() + "'").toList());
    }

    private static void note(List<String> found, String what, long number, String details) {
        if (number > 0) {
            found.add(what + ": " + number + details);
        }
    }
}
