package io.fibry.internal.scenario;

import io.fibry.ActorContext;
import java.util.List;

/** Timers are set, replaced, cancelled and fire, while others send and somebody stops the actor. */
final class TimersOrStop implements Scenario {
    @Override
    public String name() {
        return "timers-or-stop";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a tick was handled",
                "a timer was cancelled",
                "a timer was replaced",
                "lost: STOPPED_BEFORE_TURN",
                "stopped with a timer set");
    }

    @Override
    public void play(Play play) {
        var timers = new TimersOrStop.Watch(play);
        var subject = new Subject(play).counts();
        subject.make(play.anonymous().strategy(play.elsewhere()), timers::on);
        for (int i = 0; i < 2; i++) {
            play.sender("sender" + i, 3, subject);
        }
        play.clock(5);
        play.spawn("stopper", () -> {
            for (int pauses = play.random.nextInt(30); pauses > 0; pauses--) {
                Thread.yield();
            }
            if (timers.current != null) {
                play.saw("stopped with a timer set");
            }
            subject.stop();
        });
    }

    /** One key, and the timer that is set under it. */
    private static final class Watch {
        private final Play play;
        private Msg current;
        private boolean repeats;

        Watch(Play play) {
            this.play = play;
        }

        void on(ActorContext<Msg, Integer> context, Msg message) {
            var timers = context.timers();
            if (message.number < 0) {
                play.ledger.tick();
                play.saw("a tick was handled");
                play.check(message == current, "a tick of a timer that is cancelled or was replaced");
                play.check(timers.isSet("key") == repeats, "is it set? " + timers.isSet("key"));
                current = repeats ? current : null;
            } else if (current != null && play.chance(40)) {
                play.check(timers.cancel("key"), "it was set and could not be cancelled");
                current = null;
                play.saw("a timer was cancelled");
            } else {
                play.saw(current == null ? "a timer was set" : "a timer was replaced");
                current = new Msg("tick", -1);
                repeats = play.chance(60);
                if (repeats) {
                    timers.fixedDelay("key", Play.MILLI, current);
                } else {
                    timers.once("key", Play.MILLI, current);
                }
            }
        }
    }
}
