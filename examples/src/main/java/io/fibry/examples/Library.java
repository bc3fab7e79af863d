package io.fibry.examples;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ReceivingReplyContext;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.StatefulActor;
import io.fibry.examples.frame.Options;
import io.fibry.message.DeferredReply;
import io.fibry.pool.AskAll;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A lending library. It shows the ways in which an actor answers: at once, to several requests together, later, from a
 * stage, and after several messages.
 */
public final class Library implements AutoCloseable {
    // ---- The catalogue: it tells on which shelf a book is. ----

    private record Find(String title) implements Request<String> {
    }

    private record Place(String title, String shelf) {
    }

    // ---- The desk: a reader that waits for a lent book gets it when the book is returned. ----

    sealed interface AtDesk {
    }

    record Borrow(String title, String reader) implements AtDesk, Request<String> {
    }

    record Return(String title) implements AtDesk {
    }

    private static final class Loans {
        final Map<String, String> readers = new HashMap<>();
        final Map<String, Deque<Waiting>> waiting = new HashMap<>();
    }

    private record Waiting(Borrow wish, DeferredReply<Reply> reply) {
    }

    private final ActorScope scope = ActorSystem.open("library");
    private final StatefulActor<Map<String, String>, Object, Reply> catalogue;
    private final StatefulActor<Loans, AtDesk, Reply> desk;

    private Library() {
        catalogue = scope.named("catalogue").<Map<String, String>>state(TreeMap::new)
                .onStart(shelves -> shelves.put("Emma", "shelf 3"))
                .newActorWithReturn((Map<String, String> shelves, Object message) -> switch (message) {
                    case Find find -> find.reply(shelves.getOrDefault(find.title(), "nowhere"));
                    case Place(var title, var shelf) -> {
                        shelves.put(title, shelf);
                        yield Reply.none();
                    }
                    default -> throw new IllegalArgumentException("no such message: " + message);
                });
        desk = scope.named("desk").state(Loans::new).newActorWithReturn(Library::atDesk);
    }

    private static Reply atDesk(ActorContext<AtDesk, Reply> context, Loans loans, AtDesk message) {
        return switch (message) {
            case Borrow borrow -> {
                if (loans.readers.putIfAbsent(borrow.title(), borrow.reader()) == null) {
                    yield borrow.reply(borrow.title() + " for " + borrow.reader());
                }
                loans.waiting.computeIfAbsent(borrow.title(), title -> new ArrayDeque<>())
                        .add(new Waiting(borrow, context.deferReply()));
                yield Reply.none(); // ignored: the reply comes when the book is back
            }
            case Return(var title) -> {
                var line = loans.waiting.get(title);
                var next = line == null ? null : line.poll();
                if (next == null) {
                    loans.readers.remove(title);
                } else {
                    var wish = next.wish();
                    loans.readers.put(title, wish.reader());
                    next.reply().complete(wish.reply(title + " for " + wish.reader()));
                }
                yield Reply.none();
            }
        };
    }

    /** Registers members. The actor decides itself which message it takes next: after a name it wants the town. */
    private Actor<String, String> registration() {
        return scope.named("registration").newReceivingActorWithReturn(
                (ReceivingReplyContext<String, String> inbox) -> {
                    while (true) {
                        var name = inbox.receive();
                        inbox.reply("hello " + name + ", where do you live?");
                        var town = inbox.receive();
                        inbox.reply(name + " of " + town + " is a member now");
                    }
                });
    }

    private void day() throws Exception {
        catalogue.sendMessage(new Place("Dracula", "shelf 7"));
        System.out.println("Emma is on " + catalogue.requestWait(new Find("Emma")));
        System.out.println(
                "Dracula is on " + scope.request(ActorName.of("catalogue"), new Find("Dracula")).get());
        var placed = List.of(new Place("Ivanhoe", "shelf 1"), new Place("Utopia", "shelf 2"));
        placed.forEach(catalogue::sendMessage);
        List<String> places =
                AskAll.await(List.of(new Find("Ivanhoe"), new Find("Utopia")), catalogue::request);
        System.out.println(placed.size() + " new books are on " + places);
        catalogue.execWithState(shelves -> shelves.replaceAll((title, shelf) -> shelf + ", upstairs"));
        System.out.println("Emma has moved to " + catalogue.requestWait(new Find("Emma")));

        System.out.println("lent: " + desk.requestWait(new Borrow("Emma", "Ann")));
        var waiting = desk.request(new Borrow("Emma", "Bob"));
        desk.execAndWait(() -> System.out.println("Bob waits: " + !waiting.isDone())); // the desk itself does not
        desk.sendMessage(new Return("Emma"));
        System.out.println("lent: " + waiting.get());

        Actor<String, String> search = scope.named("search").newActorWithReturn((context, title) -> {
            context.deferReply()
                    .completeFrom(
                            catalogue.request(new Find(title)).thenApply(place -> title + ": " + place));
            return null; // ignored: the reply comes from the stage
        });
        System.out.println("found " + search.apply("Dracula", Duration.ofSeconds(10)));

        var registration = registration();
        System.out.println(registration.apply("Eve"));
        System.out.println(registration.apply("York"));

        System.out.println("lent: " + desk.requestWait(new Borrow("Dracula", "Tom")));
    }

    @Override
    public void close() {
        scope.close();
    }

    /**
     * Runs the example.
     *
     * @param args none
     * @throws Exception if the example fails
     */
    public static void main(String[] args) throws Exception {
        Options.read(args);
        try (var library = new Library()) {
            library.day();
        }
    }
}
