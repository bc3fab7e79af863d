package io.fibry.internal.scenario;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Askers wait for an actor that is being stopped: each gets an answer of some kind. */
final class AskOrStop implements Scenario {
    @Override
    public String name() {
        return "ask-or-stop";
    }

    @Override
    public List<String> sometimes() {
        return List.of("answered",
                "failed: ActorStoppedException",
                "failed: AskTimeoutException",
                "a stopper ended an idle actor");
    }

    @Override
    public void play(Play play) {
        var subject = new Subject(play).make(play.anonymous(), (context, message) -> {
        });
        for (int i = 0; i < 3; i++) {
            var asker = "sender" + i;
            play.spawn(asker, () -> {
                for (int n = 0; n < 2; n++) {
                    play.pause();
                    var message = new Msg(asker, n);
                    see(play, message, play.chance(50) ? subject.askFor(message) : subject.ask(message));
                }
            });
        }
        play.spawn("stopper", () -> {
            Thread.yield();
            play.pause();
            subject.stop();
        });
        if (play.chance(40)) {
            play.clock(2);
        }
    }

    private static void see(Play play, Msg message, CompletableFuture<Integer> answer) throws Exception {
        try {
            var value = answer.get();
            play.check(value == message.number, "the answer of another: " + value + " to " + message);
            play.saw("answered");
        } catch (ExecutionException e) {
            play.saw("failed: " + e.getCause().getClass().getSimpleName());
        }
    }
}
