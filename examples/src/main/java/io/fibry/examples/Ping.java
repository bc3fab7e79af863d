package io.fibry.examples;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.examples.frame.Options;

/** Two actors that play ping-pong. One of them is straight-line code that receives the message that it wants next. */
public final class Ping {
    private Ping() {
    }

    private sealed interface Shot {
    }

    private record Serve(int round, Actor<Shot, Void> player) implements Shot {
    }

    private record Return(int round) implements Shot {
    }

    private record Applause(String from) implements Shot {
    }

    /**
     * Runs the example.
     *
     * @param args none
     */
    public static void main(String[] args) {
        Options.read(args);
        try (var scope = ActorSystem.open("table")) {
            var wall = scope.named("wall").newActor((Serve serve) -> {
                System.out.println("ping " + serve.round());
                serve.player().sendMessage(new Applause("the audience, round " + serve.round()));
                serve.player().sendMessage(new Return(serve.round()));
            });
            Actor<Shot, Void> player = scope.named("player").newReceivingActor(me -> {
                for (int round = 1; round <= 3; round++) {
                    wall.sendMessage(new Serve(round, me.self()));
                    var back = me.receive(Return.class); // the applause has to wait
                    System.out.println("pong " + back.round());
                }
                for (int round = 1; round <= 3; round++) {
                    System.out.println("thanks to " + me.receive(Applause.class).from());
                }
            });
            player.waitForExit(); // the player stops when its code ends
        }
    }
}
