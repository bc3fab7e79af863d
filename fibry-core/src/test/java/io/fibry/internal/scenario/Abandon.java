package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.FailurePolicy;
import io.fibry.HandlerAbandonedException;
import io.fibry.time.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Handlers end, are interrupted, or are abandoned, or all of it at once, while others ask and somebody stops the actor; old
 * threads go on and try to act as the actor.
 */
final class Abandon implements Scenario {
    private static final Duration LIMIT = Play.MILLI;
    /** Later than anything that happens in a play. */
    private static final Duration AGES = Duration.ofDays(1);

    @Override
    public String name() {
        return "abandon";
    }

    @Override
    public List<String> sometimes() {
        return List.of("abandoned", "ended in the grace", "threw in the grace", "the old thread was refused",
                "refused while it was abandoned", "an old thread beside a new handler",
                "a forced stop left a handler behind",
                "lost: STOPPED_BEFORE_TURN");
    }

    /** One play's actor, and what is known of its handlers. */
    private static final class Desk {
        final Play play;
        final Map<String, Integer> latest = new HashMap<>();
        final Map<Msg, Thread> threads = new HashMap<>();
        /** Handlers that have not ended, be they abandoned or not. */
        final Set<Msg> open = new LinkedHashSet<>();
        final Set<Msg> mustBeAbandoned = new LinkedHashSet<>();
        final Set<Msg> abandoned = new LinkedHashSet<>();
        /** When the last handler of a thread ended. */
        final Map<Thread, Long> lastEnds = new HashMap<>();
        final Map<Msg, Long> endedAt = new HashMap<>();
        final boolean clockMoves;
        boolean stops;

        Desk(Play play, boolean clockMoves) {
            this.play = play;
            this.clockMoves = clockMoves;
        }

        /** Whether the actor has certainly gone on: it has said so, or another handler has begun. */
        boolean isGone(Msg message) {
            return mustBeAbandoned.contains(message) || (message.answer != null && message.answer.isDone());
        }

        Integer handle(ActorContext<Msg, Integer> context, Msg message) throws InterruptedException {
            // Within its time it is interrupted by a stop only; and a thread that comes back begins after its last end.
            var since = lastEnds.getOrDefault(Thread.currentThread(), Long.MIN_VALUE);
            var inTime = clockMoves ? since != Long.MIN_VALUE && now() - since < LIMIT.toNanos() : true;
            play.check(stops || !inTime || !Thread.currentThread().isInterrupted(),
                    "interrupted before it began: " + message);
            var before = latest.put(message.sender, message.number);
            play.check(before == null || before < message.number, "out of order: " + message);
            message.begun = true;
            mustBeAbandoned.addAll(open);
            open.add(message);
            threads.put(message, Thread.currentThread());
            if (open.size() > 1) {
                play.saw("an old thread beside a new handler");
            }
            try {
                var timers = context.timers();
                act(timers, message);
                switch (play.random.nextInt(5)) {
                    case 0 -> untilAbandoned(message);
                    case 1 -> untilInterrupted(message);
                    case 2 -> {
                        for (int i = play.upTo(6); i > 0; i--) {
                            act(timers, message);
                        }
                    }
                    default -> play.pause();
                }
                act(timers, message);
                return message.number;
            } finally {
                open.remove(message);
                lastEnds.put(Thread.currentThread(), now());
                endedAt.put(message, now());
            }
        }

        private long now() {
            return play.schedule.time().nanoTime();
        }

        /** Heeds nothing. */
        private void untilAbandoned(Msg message) {
            while (!isGone(message)) {
                Thread.interrupted();
                LockSupport.park(this);
            }
        }

        /** Ends soon after it is interrupted, one way or the other. */
        private void untilInterrupted(Msg message) throws InterruptedException {
            while (!Thread.interrupted()) {
                if (isGone(message)) {
                    play.check(Thread.interrupted(), "abandoned, and never interrupted: " + message);
                    break;
                }
                LockSupport.park(this);
            }
            for (int i = play.random.nextInt(4); i > 0; i--) {
                Thread.yield();
            }
            if (play.chance(50)) {
                throw new InterruptedException("as wanted");
            }
        }

        /** Does something as the actor. */
        private void act(Timers<Msg> timers, Msg message) {
            play.pause();
            var gone = isGone(message);
            try {
                timers.once("timer", AGES, message);
                play.check(!gone, "an old thread has set a timer: " + message);
            } catch (HandlerAbandonedException refused) {
                mustBeAbandoned.add(message);
                play.saw(gone ? "the old thread was refused" : "refused while it was abandoned");
                throw refused;
            }
        }

        /** The answer of an ask. */
        void answered(Msg message, @Nullable Throwable failure) {
            if (failure == null) {
                message.returned++;
                play.check(!open.contains(message), "answered, and still at work: " + message);
                play.check(clockMoves || endedAt.getOrDefault(message, -1L) == now(),
                        "nobody saw for some time that it has ended: " + message);
                if (threads.containsKey(message) && message.begunAt < play.schedule.time().nanoTime()) {
                    play.saw("ended in the grace");
                }
            } else if (failure instanceof HandlerAbandonedException) {
                message.threw++;
                abandoned.add(message);
                play.saw("abandoned");
                if (failure.getMessage().contains("forced stop")) {
                    play.saw("a forced stop left a handler behind");
                }
            } else if (failure instanceof InterruptedException) {
                message.threw++;
                play.saw("threw in the grace");
            }
            LockSupport.unpark(threads.get(message));
        }

        void check() {
            play.check(open.isEmpty(), "handlers have not ended: " + open);
            var both = new ArrayList<>(mustBeAbandoned);
            both.removeAll(abandoned);
            play.check(both.isEmpty(), "two at a time, or refused, and not abandoned: " + both);
        }
    }

    @Override
    public void play(Play play) {
        var clockMoves = play.chance(40);
        var desk = new Desk(play, clockMoves);
        var subject = new Subject(play).endsByItself();
        var builder = play.anonymous().strategy(play.elsewhere())
                .abandonStuck(LIMIT, play.chance(50) ? Duration.ZERO : Play.MILLI)
                .onFailure(play.chance(50) ? FailurePolicy.resume() : FailurePolicy.restart());
        Actor<Msg, Integer> actor = play.chance(50)
                ? builder.newActorWithReturn(desk::handle)
                : builder.newActorWithReturnFrom(context -> message -> desk.handle(context, message));
        subject.watch(actor);
        for (int i = 0; i < 2; i++) {
            var asker = "asker" + i;
            play.spawn(asker, () -> {
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    var message = new Msg(asker, n);
                    message.begunAt = play.schedule.time().nanoTime();
                    subject.ask(message).whenComplete((value, failure) -> desk.answered(message, failure));
                }
                play.check(!Thread.interrupted(), "an interrupt reached the thread of " + asker);
            });
        }
        if (clockMoves) {
            play.clock(4);
        }
        if (play.chance(50)) {
            play.spawn("stopper", () -> {
                for (int n = play.random.nextInt(40); n > 0; n--) {
                    Thread.yield();
                }
                desk.stops = true;
                subject.stop();
            });
        }
        play.ledger.atTheEnd(desk::check);
    }
}
