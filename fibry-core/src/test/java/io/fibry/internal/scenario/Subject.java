package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorState;
import io.fibry.internal.engine.EngineProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An actor whose handling is watched: one at a time, in order, nothing after its end, no stray interrupt. */
final class Subject {
    /** What the scenario does in the handler. */
    interface Work {
        void on(ActorContext<Msg, Integer> context, Msg message) throws Exception;
    }

    private final Play play;
    private final Map<String, Integer> latest = new HashMap<>();
    private final Set<Thread> turns = new HashSet<>();
    private @Nullable Actor<Msg, Integer> actor;
    private final List<Msg> accepted = new ArrayList<>();
    private final List<Msg> mustHandle = new ArrayList<>();
    private boolean notOnlyPills;
    private boolean exitAsked;
    private boolean counts;
    private int interruptedEarly;
    private int begunLate;
    private int inside;
    private int hooks;
    private int hooksRun;
    private int resources;
    private int closed;
    private int stops;
    /** How many pills may be in the mailbox. */
    int pills;
    int handled;

    Subject(Play play) {
        this.play = play;
        play.ledger.subjects.add(this);
    }

    Actor<Msg, Integer> actor() {
        if (actor == null) {
            throw new AssertionError("not made yet");
        }
        return actor;
    }

    /** Makes the actor, half of the time with an exit hook: without one an idle actor ends where it is stopped. */
    Subject make(ActorBuilder builder, Work work) {
        return make(builder, work, play.chance(50));
    }

    Subject make(ActorBuilder builder, Work work, boolean hooked) {
        var chosen = builder;
        if (hooked) {
            hooks++;
            chosen = chosen.onExit(this::hook);
        }
        actor = chosen.newActorWithReturn((context, message) -> handle(context, message, work));
        play.ledger.made(this);
        return this;
    }

    /** Makes an actor whose work is made anew when it is restarted. */
    Subject makeFrom(ActorBuilder builder, Supplier<Work> factory) {
        var chosen = builder;
        if (play.chance(50)) {
            hooks++;
            chosen = chosen.onExit(this::hook);
        }
        actor = chosen.newActorWithReturnFrom(context -> {
            var work = factory.get();
            return message -> handle(context, message, work);
        });
        return this;
    }

    /** For an actor that was made in another way. */
    @SuppressWarnings("unchecked") // it gives null for an answer, which fits any type
    Subject watch(Actor<Msg, ?> made) {
        actor = (Actor<Msg, Integer>) made;
        return this;
    }

    Subject closeOnExit() {
        resources++;
        actor().closeOnExit(() -> closed++);
        return this;
    }

    private Integer handle(ActorContext<Msg, Integer> context, Msg message, Work work) throws Exception {
        var forced = counts && (pills > 0 || notOnlyPills);
        if (Thread.currentThread().isInterrupted()) {
            play.check(forced && ++interruptedEarly == 1, "interrupted before it began: " + message);
        }
        if (exitAsked) {
            play.check(counts && ++begunLate == 1, "begun after the actor was asked to exit: " + message);
        }
        enter(message);
        try {
            play.pause();
            work.on(context, message);
            play.pause();
            message.returned++;
            return message.number;
        } catch (InterruptedException interrupt) {
            // The handler of a cancelled ask is interrupted on purpose: then the message counts as expired.
            message.threw += message.isOver(play.schedule.time().nanoTime()) ? 0 : 1;
            throw interrupt;
        } catch (Throwable failure) {
            message.threw++;
            throw failure;
        } finally {
            inside--;
        }
    }

    void enter(Msg message) {
        play.check(inside++ == 0, "two handlers at a time, with " + message);
        inOrder(message);
        if (message.kept) {
            play.saw("a kept message was handled");
        }
        if (handled++ > 0) {
            play.saw(turns.contains(Thread.currentThread()) ? "one turn for two messages" : "another turn");
        }
        turns.add(Thread.currentThread());
    }

    private void inOrder(Msg message) {
        message.begun = true;
        message.begunAt = play.schedule.time().nanoTime();
        play.check(stops == 0 && hooksRun == 0, "handled after the end: " + message);
        var before = latest.put(message.sender, message.number);
        play.check(message.number < 0 || before == null || before < message.number,
                "out of order, after " + before + ": " + message);
    }

    /** The number of the latest message of the same sender that was begun. */
    int latest(Msg message) {
        return latest.getOrDefault(message.sender, -1);
    }

    /** Whether a message was begun on this thread. */
    boolean ranOn(Thread thread) {
        return turns.contains(thread);
    }

    void leave(Msg message) {
        inside--;
        message.returned++;
    }

    /** The message was put aside. */
    void aside() {
        inside--;
    }

    void fail(Msg message) {
        inside--;
        message.threw++;
    }

    /** Taken by the handler of another message. */
    void received(Msg message) {
        inOrder(message);
        message.returned++;
    }

    /** Taken by the handler of another message, which fails. */
    void receivedAndFailed(Msg message) {
        inOrder(message);
        message.threw++;
        message.failedWithOther = true;
    }

    boolean send(Msg message) {
        play.ledger.offered.add(message);
        var open = !EngineProbe.isStopping(actor());
        var accepted = actor().sendMessage(message);
        message.accepted = accepted;
        if (accepted) {
            this.accepted.add(message);
        }
        if (!accepted && open && EngineProbe.isStopping(actor())) {
            play.saw("a sender met a closed mailbox");
        }
        play.check(accepted || message.reported == 1, "refused without a report: " + message);
        return accepted;
    }

    boolean sendUrgent(Msg message) {
        play.ledger.offered.add(message);
        return actor().sendUrgent(message);
    }

    CompletableFuture<Integer> ask(Msg message) {
        play.ledger.offered.add(message);
        var answer = actor().sendMessageReturn(message);
        message.answer = answer;
        return answer;
    }

    CompletableFuture<Integer> askFor(Msg message) {
        play.ledger.offered.add(message);
        message.deadline = play.schedule.time().nanoTime() + Play.MILLI.toNanos();
        var answer = actor().ask(message, Play.MILLI);
        message.answer = answer;
        return answer;
    }

    /** Stops the actor in one of the ways there are, from outside. */
    void stop() {
        beginStop();
        switch (play.random.nextInt(5)) {
            case 0 -> {
                notOnlyPills = true;
                actor().askExit();
                exitAsked = true;
            }
            case 1 -> actor().sendPoisonPill();
            case 2 -> stop(Play.MILLI);
            case 3 -> stop(Duration.ZERO);
            default -> {
                actor().close();
                play.check(actor().state() == ActorState.STOPPED, "closed, but " + actor().state());
            }
        }
    }

    void stop(Duration deadline) {
        beginStop();
        var report = actor().stop(deadline);
        notOnlyPills |= report.forced() || !report.stopped();
        if (report.stopped()) {
            play.check(actor().state() == ActorState.STOPPED,
                    "stopped, says the report, but " + actor().state());
            play.check(hooksRun == hooks, "stopped, but " + hooksRun + " of " + hooks + " hooks have run");
        }
        if (report.forced()) {
            play.saw("a stop was forced");
        }
    }

    /** The first pill of all is about to be sent: what is queued by now comes before it. */
    private void beginStop() {
        if (pills == 0) {
            mustHandle.addAll(accepted);
        }
        pills += 2; // a forced stop sends another one
    }

    /** It may end at any time without a pill. */
    Subject endsByItself() {
        notOnlyPills = true;
        return this;
    }

    /**
     * Its messages give places back, or are taken from their timers, just before they are handled: a stop may come there, and
     * meets one message.
     */
    Subject counts() {
        counts = true;
        return this;
    }

    void waitForExit() {
        actor().waitForExit();
        play.check(hooksRun == hooks,
                "the exit was awaited, but " + hooksRun + " of " + hooks + " hooks have run");
        play.check(actor().state() == ActorState.STOPPED,
                "the exit was awaited, but it is " + actor().state());
    }

    /** Whether it is the one of this name that has just stopped. Another one may have its name already. */
    boolean hasStoppedAs(String name) {
        return actor != null && actor.name().equals(name) && stops == 0
                && actor.state() == ActorState.STOPPED;
    }

    private void hook() {
        hooksRun++;
        play.check(inside == 0, "a hook ran beside a handler");
        play.check(stops == 0, "a hook ran after the end was told");
        var name = actor().name();
        play.check(name.startsWith("anonymous") || play.scope.find(ActorName.of(name)).isPresent(),
                "the name was free too early");
        play.pause();
    }

    /** Whether its end was told. */
    boolean hasStopped() {
        return stops > 0;
    }

    void stopped() {
        stops++;
        play.check(hooksRun == hooks,
                "told to have stopped, but " + hooksRun + " of " + hooks + " hooks have run");
        if (Thread.currentThread().getName().startsWith("stopper")) {
            play.saw("a stopper ended an idle actor");
        }
    }

    void check() {
        play.check(inside == 0, "a handler has not ended");
        if (!notOnlyPills) {
            mustHandle.forEach(m -> play.check(m.begun || m.dropped, "a pill overtook " + m));
        }
        play.check(stops == 1, "the end was told " + stops + " times");
        play.check(hooksRun == hooks, hooksRun + " of " + hooks + " hooks have run");
        play.check(closed == resources, closed + " of " + resources + " resources are closed");
        play.check(actor().state() == ActorState.STOPPED, "it is " + actor().state());
    }
}
