package io.fibry.flight;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/** The program whose recording {@code docs/inside.md} shows: a mill with several faults. */
final class SlowMill {
    private SlowMill() {
    }

    record Grain(int kilos) {
    }

    /** Grinds grain, a kilo in four milliseconds. */
    static final class Stones {
        int grind(Grain grain) {
            if (grain.kilos < 0) {
                throw new IllegalArgumentException("no such weight: " + grain.kilos);
            }
            try {
                Thread.sleep(4L * grain.kilos); // the work
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return grain.kilos;
        }
    }

    public static void main(String[] args) {
        try (var scope = ActorSystem.open("mill")) {
            var stones = new Stones();
            Actor<Grain, Integer> mill = scope.named("stones").onFailure(FailurePolicy.restart())
                    .newActorWithReturn(stones::grind);
            mill.apply(new Grain(20));                        // slow
            mill.sendMessage(new Grain(-1));                  // fails, and the actor is restarted
            try {
                mill.apply(new Grain(50), Duration.ofMillis(40));
            } catch (CompletionException tooLate) {
                System.out.println("too late");
            }
            scope.sendOrKeep(ActorName.of("miller"), "flour", 0); // nobody has this name
        }
    }
}
