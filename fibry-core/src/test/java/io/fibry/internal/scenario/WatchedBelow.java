package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import java.time.Duration;
import java.util.List;

/** A scope is closed after an inner scope, one of whose actors is watched from outside: the watcher hears of its end. */
final class WatchedBelow implements Scenario {
    private static final Duration LONG = Duration.ofHours(1);

    @Override
    public String name() {
        return "watched-below";
    }

    @Override
    public List<String> sometimes() {
        return List.of("it is to end by itself");
    }

    /** One play. */
    private static final class Game {
        int notices;
        boolean watches;
    }

    @Override
    public void play(Play play) {
        var game = new Game();
        var outer = ActorSystem.configure("outer").time(play.schedule.time()).strategy(play.strategy)
                .closeTimeout(LONG).open();
        var inner = outer.child("inner").open();
        Actor<String, Void> below = inner.anonymous().newActor(message -> {
        });
        Actor<String, Void> watcher = outer.anonymous()
                .onExit(() -> play.check(game.notices == 1, "heard " + game.notices + " times"))
                .newActor((context, message) -> {
                    if (message.equals("watch")) {
                        context.watch(below, end -> "gone");
                        game.watches = true;
                    } else {
                        game.notices++;
                    }
                });
        play.spawn("first", () -> watcher.sendMessage("watch"));
        play.spawn("stopper", () -> {
            while (!game.watches) {
                Thread.yield();
            }
            for (int n = play.random.nextInt(20); n > 0; n--) {
                Thread.yield();
            }
            if (below.state() == ActorState.IDLE) {
                play.saw("it is to end by itself");
            }
            below.askExit();
        });
        play.spawn("closer", () -> {
            while (!game.watches) {
                Thread.yield();
            }
            inner.close();
            outer.close();
        });
    }
}
