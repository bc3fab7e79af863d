package io.fibry.examples;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.WhenAbsent;
import java.time.Duration;
import java.util.concurrent.ExecutionException;

/** Actors that are found by name, asked, and answer. */
public final class RequestReply {
    private RequestReply() {
    }

    /**
     * Runs the example.
     *
     * @param args none
     * @throws Exception never, unless something is broken
     */
    public static void main(String[] args) throws Exception {
        try (var scope = ActorScope.open("request-reply")) {
            scope.named("square").newActorWithReturn((Integer n) -> n * n);
            Actor<Integer, Integer> square = scope.<Integer, Integer>find("square").orElseThrow();

            // Ask and wait. Inside an actor on fibers, too, waiting blocks no thread of the system.
            System.out.println("7 squared is " + square.apply(7));

            // Ask now, use the answer when it is there.
            var both = square.sendMessageReturn(3).thenCombine(square.sendMessageReturn(4), Integer::sum);
            System.out.println("3 squared and 4 squared make " + both.get());

            // What a handler throws is what its asker gets.
            var divider = scope.named("divider").newActorWithReturn((Integer n) -> half(n));
            try {
                divider.sendMessageReturn(5, Duration.ofSeconds(1)).get();
            } catch (ExecutionException e) {
                System.out.println("half of 5: " + e.getCause().getMessage());
            }

            // A message may come before its actor.
            scope.sendMessage("late", "kept for you", WhenAbsent.keep(10));
            scope.named("late").newActor((String message) -> System.out.println("late got: " + message));
        } // handles what is queued, then stops all of them
    }

    private static int half(int n) {
        if (n % 2 != 0) {
            throw new IllegalArgumentException(n + " is odd");
        }
        return n / 2;
    }
}
