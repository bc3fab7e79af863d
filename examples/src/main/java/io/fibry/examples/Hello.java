package io.fibry.examples;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.WhenAbsent;
import io.fibry.examples.frame.Options;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.concurrent.ExecutionException;

/**
 * The first things to know: actors are found by name, asked, and answer; and code can be run inside them.
 *
 * <p>Look at: nothing here is a callback. Each handler is plain code that may block, and only one thread at a
 * time is in it.
 */
public final class Hello {
    private Hello() {
    }

    /**
     * Runs the example.
     *
     * @param args none
     * @throws Exception never, unless something is broken
     */
    public static void main(String[] args) throws Exception {
        Options.read(args);
        try (var scope = ActorScope.open("hello")) {
            // An actor with a name, which others find by it.
            scope.named("square").newActorWithReturn((Integer n) -> n * n);
            Actor<Integer, Integer> square = scope.<Integer, Integer>find("square").orElseThrow();

            // Ask and wait. Inside an actor on fibers, too, waiting blocks no thread of the system.
            System.out.println("7 squared is " + square.apply(7));

            // Ask now, use the answer when it is there.
            var both = square.sendMessageReturn(3).thenCombine(square.sendMessageReturn(4), Integer::sum);
            System.out.println("3 squared and 4 squared make " + both.get());

            // What a handler throws is what its asker gets, and the actor goes on.
            var divider = scope.named("divider").newActorWithReturn((Integer n) -> half(n));
            try {
                divider.sendMessageReturn(5, Duration.ofSeconds(1)).get();
            } catch (ExecutionException e) {
                System.out.println("half of 5: " + e.getCause().getMessage());
            }

            // Code that is run inside an actor takes its turn with the messages: the list needs no lock.
            var guests = new ArrayList<String>();
            var book = scope.named("guest book").newActor((String guest) -> guests.add(guest));
            book.sendMessage("Ann");
            book.sendMessage("Bob");
            book.execAsync(() -> guests.sort(Comparator.reverseOrder()));
            System.out.println("guests: " + book.execFuture(() -> String.join(", ", guests)).get());

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
