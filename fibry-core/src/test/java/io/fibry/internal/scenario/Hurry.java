package io.fibry.internal.scenario;

import io.fibry.AskTimeoutException;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** Asks with a time limit ask on: nothing is begun after the time is over, and no limit outlives its message. */
final class Hurry implements Scenario {
    @Override
    public String name() {
        return "hurry";
    }

    @Override
    public List<String> sometimes() {
        return List.of("asked on in time",
                "asked on too late",
                "the time was over while it waited",
                "a message without a limit",
                "expired");
    }

    @Override
    public void play(Play play) {
        var back = new Subject(play);
        back.make(play.anonymous().strategy(play.elsewhere()), (context, message) -> {
            play.check(context.timeLeft().isPresent() == message.isTimed(), "a limit or none: " + message);
            play.check(message.begunAt < message.deadline, "begun too late: " + message);
            Thread.yield();
        });
        var front = new Subject(play);
        front.make(play.anonymous().strategy(play.elsewhere()), (context, message) -> {
            play.check(context.timeLeft().isPresent() == message.isTimed(), "a limit or none: " + message);
            if (!message.isTimed()) {
                play.saw("a message without a limit");
            }
            for (int n = 0; n < 2; n++) {
                ask(play, back, message, message.number * 2 + n);
                play.pause();
            }
            play.check(context.timeLeft().isPresent() == message.isTimed(), "a limit or none: " + message);
        });
        for (int i = 0; i < 2; i++) {
            var asker = "asker" + i;
            play.spawn(asker, () -> {
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    var message = new Msg(asker, n);
                    if (play.chance(70)) {
                        front.askFor(message);
                    } else {
                        front.ask(message);
                    }
                }
            });
        }
        play.clock(6);
    }

    private static void ask(Play play, Subject back, Msg message, int number) throws Exception {
        var next = new Msg(message.sender, number);
        next.deadline = message.deadline;
        var late = play.schedule.time().nanoTime() >= message.deadline;
        var answer = back.ask(next);
        play.saw(late ? "asked on too late" : "asked on in time");
        try {
            answer.get();
            play.check(!late, "answered after the time was over: " + next);
        } catch (ExecutionException e) {
            play.check(e.getCause() instanceof AskTimeoutException && message.isTimed(),
                    "failed: " + next + " with " + e.getCause());
            play.check(play.schedule.time().nanoTime() >= message.deadline, "given up too early: " + next);
            if (!late) {
                play.saw("the time was over while it waited");
            }
        }
    }
}
