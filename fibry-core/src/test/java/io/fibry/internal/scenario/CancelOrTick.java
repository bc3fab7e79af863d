package io.fibry.internal.scenario;

import io.fibry.ActorContext;
import io.fibry.ReceivingContext;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import io.fibry.time.Timers;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A timer is cancelled from outside, or by its own handler, at the moment at which one of its messages is about to be handled. */
final class CancelOrTick implements Scenario {
    private static final Duration AGES = Duration.ofDays(1);

    @Override
    public String name() {
        return "cancel-or-tick";
    }

    @Override
    public List<String> sometimes() {
        return List.of("cancelled before any", "cancelled between two", "one was at work",
                "cancelled by its own handler", "it was over", "handled: HANDLER", "handled: RECEIVE",
                "handled: HAND", "handled: JOB");
    }

    /** Where the timer's message is handled. */
    private enum Place {
        HANDLER, RECEIVE, HAND, JOB
    }

    /** One timer, and what is known of it. */
    private static final class Desk {
        final Play play;
        final Place place;
        final Schedule schedule;
        @Nullable Scheduled timer;
        boolean cancelled;
        int begun;
        int inside;

        Desk(Play play, Place place, Schedule schedule) {
            this.play = play;
            this.place = place;
            this.schedule = schedule;
        }

        void set(Timers<Msg> timers) {
            timer = timers.set("key", schedule, new Msg("tick", -1));
        }

        /** One of its messages is handled. */
        void tick() {
            play.check(!cancelled, "it begins after it was cancelled");
            play.check(inside++ == 0, "two at a time");
            begun++;
            play.saw("handled: " + place);
            play.pause();
            var mine = timer;
            if (mine != null && play.chance(20)) {
                var before = mine.isOver();
                cancelled = mine.cancel();
                play.check(cancelled || before || mine.isOver(), "its own handler could not end it");
                if (cancelled) {
                    play.saw("cancelled by its own handler");
                }
            }
            play.pause();
            inside--;
        }

        void cancel() {
            var mine = timer;
            if (mine == null) {
                return;
            }
            var wasOver = mine.isOver();
            var works = mine.cancel();
            if (works) {
                play.check(!cancelled, "cancelled twice");
                cancelled = true;
                play.saw(begun == 0 ? "cancelled before any" : "cancelled between two");
                play.check(inside == 0, "cancelled while it was at work");
            } else if (wasOver) {
                play.saw("it was over");
            } else {
                play.saw("one was at work");
            }
            play.check(mine.isOver(), "it goes on");
        }
    }

    @Override
    public void play(Play play) {
        var desk = new Desk(play, Place.values()[play.random.nextInt(Place.values().length)], schedule(play));
        var builder = play.anonymous().strategy(play.elsewhere());
        switch (desk.place) {
            case HANDLER -> begin(play,
                    new Subject(play).make(builder, (context, message) -> on(desk, context, message)));
            case HAND -> begin(play, new Subject(play).make(builder.abandonStuck(AGES, AGES),
                    (context, message) -> on(desk, context, message)));
            case RECEIVE -> {
                var subject = new Subject(play).endsByItself();
                begin(play, subject.watch(builder.newReceivingActor(
                        (ReceivingContext<Msg> context, Msg first) -> receive(desk, subject, context,
                                first))));
            }
            case JOB -> play.spawn("scheduler", () -> desk.timer = play.scope
                    .schedule(desk.schedule, desk::tick));
        }
        play.clock(4);
        play.spawn("canceller", () -> {
            for (int pauses = play.random.nextInt(60); pauses > 0; pauses--) {
                Thread.yield();
            }
            desk.cancel();
        });
    }

    private static Schedule schedule(Play play) {
        return switch (play.random.nextInt(4)) {
            case 0 -> Schedule.once(Play.MILLI);
            case 1 -> Schedule.fixedRate(Play.MILLI);
            case 2 -> Schedule.fixedDelay(Play.MILLI);
            default -> Schedule.fixedRate(Play.MILLI).times(2);
        };
    }

    private static void begin(Play play, Subject subject) {
        play.sender("sender", 2, subject);
    }

    private static void on(Desk desk, ActorContext<Msg, Integer> context, Msg message) {
        if (message.number < 0) {
            desk.play.ledger.tick();
            desk.tick();
        } else if (message.number == 0) {
            desk.set(context.timers());
        }
    }

    private static void receive(Desk desk, Subject subject, ReceivingContext<Msg> context, Msg first)
            throws InterruptedException {
        if (first.number < 0) {
            desk.play.ledger.tick();
            desk.tick();
            return;
        }
        subject.enter(first);
        if (first.number == 0) {
            desk.set(context.timers());
            for (int i = 0; i < 2; i++) {
                if (context.receive(message -> message.number < 0, Play.MILLI.multipliedBy(2)).isPresent()) {
                    desk.play.ledger.tick();
                    desk.tick();
                }
            }
        }
        subject.leave(first);
    }
}
