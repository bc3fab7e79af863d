package io.fibry.flight;

import io.fibry.ActorName;
import io.fibry.ActorSystem;

/** A program with an actor that answers, one that fails and one that does not get a message. */
final class FlightChild {
    private FlightChild() {
    }

    public static void main(String[] args) {
        try (var scope = ActorSystem.configure("child").listener(event -> {
        }).open()) {
            var twice = scope.named("twice").newActorWithReturn((Integer n) -> {
                if (n < 0) {
                    throw new IllegalArgumentException("negative");
                }
                return 2 * n;
            });
            twice.sendMessage(-1);
            System.out.println("twice: " + twice.apply(21));
            scope.sendOrKeep(ActorName.of("nobody"), 1, 0);
        }
        System.out.println("recorder: " + ModuleLayer.boot().findModule("jdk.jfr").isPresent());
    }
}
