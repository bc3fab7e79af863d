package io.fibry.scopes;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A program that is ended from outside, or ends itself. */
public final class ShutdownChild {
    private ShutdownChild() {
    }

    public static void main(String[] args) {
        var scope = ActorSystem.configure("service").keepJvmAlive().closeAtShutdown()
                .closeTimeout(Duration.ofSeconds(args[0].equals("stuck") || args[0].equals("exit") ? 1 : 20))
                .open();
        scope.closeOnExit(() -> System.out.println("> resource closed"));
        switch (args[0]) {
            case "queued" -> queued(scope);
            case "stuck" -> scope.anonymous().newActor((Integer n) -> {
                System.out.println("ready");
                while (true) {
                    LockSupport.park(); // interrupts do not end it
                }
            }).sendMessage(1);
            case "closes" -> {
                var main = Thread.currentThread();
                scope.anonymous().newActor((Integer n) -> {
                    main.join();
                    System.out.println("> alive without main");
                    scope.close();
                }).sendMessage(1);
                System.out.println("> main ends");
            }
            case "exit" -> scope.anonymous().newActor((Integer n) -> System.exit(3)).sendMessage(1);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void queued(ActorScope scope) {
        var handled = new AtomicInteger();
        var actor = scope.anonymous().onExit(() -> System.out.println("> handled " + handled))
                .newActor((Integer n) -> {
                    Thread.sleep(n); // a time that the handler takes
                    handled.incrementAndGet();
                });
        for (int i = 0; i < 100; i++) {
            actor.sendMessage(2);
        }
        System.out.println("ready");
    }
}
