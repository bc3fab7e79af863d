package io.fibry.examples;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.summingInt;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.event.ActorEvent;
import io.fibry.event.Expired;
import io.fibry.event.Failed;
import io.fibry.examples.frame.Options;
import io.fibry.message.MessageFate;
import io.fibry.work.Batches;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A bicycle workshop. It shows how an actor chooses the order of its messages, and what a sender can learn of one message.
 *
 * <p>Before the workshop opens, the mechanic puts repairs aside. An urgent repair overtakes those that wait. An offer that the
 * mechanic reads too late is not handled. A repair that fails is kept, so that it can be looked at. Bills are written in batches, one for
 * each customer. What is used up is ordered once a day: the orders of one thing are merged.
 */
public final class Workshop implements AutoCloseable {
    private static final int MOST_WAITING = 100;

    /** What the mechanic is told. */
    sealed interface Note {
    }

    record Repair(String customer, String bicycle) implements Note {
    }

    record Offer(String text) implements Note {
    }

    record Open() implements Note {
    }

    private record Used(String what, int count) {
    }

    private record Bill(String customer, String bicycle) {
    }

    private final BlockingQueue<String> orders = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> parts = new LinkedBlockingQueue<>();
    private final ActorScope scope;
    private final Actor<Bill, Void> office;
    private final Actor<Used, Void> store;
    private final Actor<Note, Void> mechanic;

    private Workshop() {
        scope = ActorSystem.configure("workshop").senderSites(1).listener(Workshop::print).open();
        office = Batches.newActor(scope.named("office"), 10, Duration.ofSeconds(10), Workshop::bill);
        store = Batches.newActor(scope.named("store"), 1_000, Duration.ofDays(1), Workshop::order);
        mechanic = scope.named("mechanic").stash(MOST_WAITING).urgent(MOST_WAITING).keepFailedMessages()
                .newActor(this::beforeOpening);
    }

    private static void bill(List<Bill> bills) {
        bills.stream()
                .collect(groupingBy(Bill::customer, LinkedHashMap::new,
                        mapping(Bill::bicycle, joining(" and "))))
                .forEach((customer, bicycles) -> System.out.println(customer + " is billed for " + bicycles));
    }

    private static void order(List<Used> all) {
        all.stream().collect(groupingBy(Used::what, LinkedHashMap::new, summingInt(Used::count)))
                .forEach((what, count) -> System.out.println("to order: " + count + " " + what));
    }

    /** Handles the notes that come before the workshop is open. */
    private void beforeOpening(ActorContext<Note, Void> context, Note note) {
        if (note instanceof Open) {
            System.out.println("the workshop is open");
            context.become((inside, next) -> work(next));
            context.unstashAll();
        } else {
            context.stash();
        }
    }

    private void work(Note note) throws InterruptedException {
        switch (note) {
            case Repair(var customer, var bicycle) -> {
                if (bicycle.contains("folding")) {
                    throw new IllegalArgumentException("nobody here can repair a folding bicycle");
                }
                if (bicycle.contains("old")) {
                    orders.add("a chain");
                    System.out.println("the " + bicycle + " gets " + parts.take()); // only this actor waits
                    store.sendMessage(new Used("chain", 1));
                }
                System.out.println("the " + bicycle + " is repaired");
                store.sendMessage(new Used("oil", 1));
                office.sendMessage(new Bill(customer, bicycle));
            }
            case Offer(var text) -> System.out.println("the mechanic reads: " + text);
            case Open open -> System.out.println("the workshop is open already");
        }
    }

    private static void print(ActorEvent event) {
        if (event instanceof Failed failed && failed.keptMessage().isPresent()) {
            System.out.println("not done: " + failed.keptMessage().get() + ", sent from "
                    + failed.sentFrom().getFirst().getMethodName());
        } else if (event instanceof Expired expired) {
            System.out.println("too late: " + expired.message());
        }
    }

    private void day() throws ExecutionException, InterruptedException {
        mechanic.sendMessage(new Repair("Ann", "old bicycle"));
        mechanic.sendMessage(new Repair("Bob", "racing bicycle"));
        mechanic.sendMessage(new Open());
        var part = orders.take();
        System.out.println("the mechanic needs " + part);

        mechanic.sendMessage(new Repair("Ann", "tandem"));
        mechanic.sendMessage(new Offer("tyres at half the price, today only"), Duration.ofMillis(20));
        mechanic.sendUrgent(new Repair("Eve", "ambulance bicycle"));
        Thread.sleep(Duration.ofMillis(50)); // the part is late
        parts.add(part);

        var fate = mechanic.sendTracked(new Repair("Tom", "folding bicycle"));
        if (fate.get() instanceof MessageFate.Failed failed) {
            System.out.println("Tom hears: " + failed.cause().getMessage());
        }
    }

    /** Ends the day: what waits is done, and the bills are written. */
    @Override
    public void close() {
        mechanic.sendPoisonPill();
        var report = mechanic.onStopped().join();
        System.out.printf("the mechanic has handled %d notes%n", report.counters().handled());
        store.close();
        scope.close();
    }

    /**
     * Runs the example.
     *
     * @param args none
     * @throws InterruptedException if the thread is interrupted
     * @throws ExecutionException if the fate of a message is not known
     */
    public static void main(String[] args) throws ExecutionException, InterruptedException {
        Options.read(args);
        try (var workshop = new Workshop()) {
            workshop.day();
        }
    }
}
