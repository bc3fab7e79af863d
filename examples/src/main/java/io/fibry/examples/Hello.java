package io.fibry.examples;

import io.fibry.ActorName;
import io.fibry.ActorSystem;
import io.fibry.examples.frame.Options;
import io.fibry.pool.AskAll;
import io.fibry.work.ActorExecutorService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Shows the basics: a program finds actors by name, asks them, gets their answers, and runs code inside them.
 *
 * <p>Nothing here is a callback. Each handler is plain code that may block, and only one thread at a time runs it.
 */
public final class Hello {
    private static final ActorName<Integer, Integer> SQUARE = ActorName.of("square");

    private Hello() {
    }

    /**
     * Runs the example.
     *
     * @param args none
     * @throws Exception if the example fails
     */
    public static void main(String[] args) throws Exception {
        Options.read(args);
        try (var scope = ActorSystem.open("hello")) {
            // Other code can find an actor by its name. A typed name lets the compiler check both ends.
            scope.make(SQUARE, builder -> builder.newActorWithReturn((Integer n) -> n * n));
            var square = scope.find(SQUARE).orElseThrow();

            // Ask and wait. Even inside an actor, a wait blocks no thread of the system on fibers.
            System.out.println("7 squared is " + square.apply(7));

            // Ask now, and use the answer when it is there.
            var both = square.sendMessageReturn(3).thenCombine(square.sendMessageReturn(4), Integer::sum);
            System.out.println("3 squared and 4 squared make " + both.get());

            // Send several messages, or ask several actors, and wait for all answers.
            var squares = AskAll.await(List.of(1, 2, 3), square::sendMessageReturn);
            System.out.println("squares: " + squares);

            // The asker gets the exception of the handler, and the actor goes on.
            var divider = scope.named("divider").newActorWithReturn((Integer n) -> half(n));
            try {
                divider.ask(5, Duration.ofSeconds(1)).get();
            } catch (ExecutionException e) {
                System.out.println("half of 5: " + e.getCause().getMessage());
            }

            // Code that wants an executor service gets one that runs tasks in actors, side by side.
            try (var executor = ActorExecutorService.sideBySide(scope.anonymous())) {
                var cubes = executor.invokeAll(List.<Callable<Integer>>of(() -> 2 * 2 * 2, () -> 3 * 3 * 3));
                System.out.println("cubes: " + cubes.stream().map(Future::resultNow).toList());
            }

            // Code that is run inside an actor runs in turn with the messages, so the list needs no lock.
            var guests = new ArrayList<String>();
            var book = scope.named("guest book").newActor((String guest) -> guests.add(guest));
            book.sendMessage("Ann");
            book.sendMessage("Bob");
            book.execAsync(() -> guests.sort(Comparator.reverseOrder()));
            System.out.println("guests: " + book.execFuture(() -> String.join(", ", guests)).get());

            // A message to a name may be sent before there is an actor of that name.
            scope.sendOrKeep(ActorName.of("late"), "kept for you", 10);
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
