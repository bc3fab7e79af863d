package io.fibry.internal.scenario;

import io.fibry.AskCycleException;
import java.util.List;

/**
 * An actor asks another, which runs on its stack, asks a third, and sends itself a message for which it asks the first.
 * That comes after the first one's answer, so nobody ever waits in a circle.
 */
final class LeftStack implements Scenario {
    private static final int AGAIN = 1;

    @Override
    public String name() {
        return "left-stack";
    }

    @Override
    public List<String> sometimes() {
        return List.of("asked on top", "asked back");
    }

    @Override
    public void play(Play play) {
        var third =
                new Subject(play).make(play.anonymous().strategy(play.elsewhere()), (context, message) -> {
                });
        var lanes = play.lanes(play::pause);
        var lower = new Subject(play);
        var upper = new Subject(play);
        upper.make(play.anonymous().strategy(lanes), (context, message) -> {
            if (message.number == AGAIN) {
                ask(play, lower, new Msg("upper", AGAIN));
                play.saw("asked back");
                return;
            }
            upper.send(new Msg("upper", AGAIN));
            ask(play, third, new Msg("upper", 0));
            if (lower.ranOn(Thread.currentThread())) {
                play.saw("asked on top");
            }
        });
        lower.make(play.anonymous().strategy(lanes), (context, message) -> {
            if (message.number != AGAIN) {
                ask(play, upper, new Msg("lower", 0));
            }
        });
        play.sender("sender", 1, lower);
    }

    private static void ask(Play play, Subject whom, Msg message) throws Exception {
        try {
            whom.ask(message).get();
        } catch (AskCycleException e) {
            play.check(false, "no cycle: " + e.getMessage());
        }
    }
}
