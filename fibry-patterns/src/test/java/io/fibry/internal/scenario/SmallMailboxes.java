package io.fibry.internal.scenario;

import io.fibry.ActorSystem;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.internal.memory.Interleave;
import io.fibry.message.MessageFate;
import io.fibry.topic.Publication;
import io.fibry.topic.SubscriberOptions;
import io.fibry.topic.Subscription;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import io.fibry.topic.TopicProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * Threads publish to slow subscribers with room for one message or two, of each policy, whose handlers fail, while subscriptions
 * are closed and the topic is stopped.
 */
final class SmallMailboxes implements Scenario {
    private static final int PUBLISHERS = 2;
    private static final int MESSAGES = 4;

    private record Note(int publisher, int number) {
    }

    /** A message whose fates its publisher wanted to know. */
    private record Tracked(Note note, CompletableFuture<Publication> publication) {
    }

    /** A topic, and what was published to it. */
    private static final class Work {
        final Play play;
        final Topic<Note> topic;
        final boolean mayFail;
        final List<Reader> readers = new ArrayList<>();
        final List<Tracked> tracked = new ArrayList<>();
        int published;
        /** How many refusals publishers were told by an exception. */
        int told;
        boolean isStopped;

        Work(Play play, Topic<Note> topic) {
            this.play = play;
            this.topic = topic;
            mayFail = play.chance(40);
        }

        /** What publishers were told is what the subscribers have got and have counted. */
        void checkWhatWasTold() {
            long expected = told;
            long refused = 0;
            for (var reader : readers) {
                var fails = reader.policy.equals(OverflowPolicy.fail());
                for (var each : tracked) {
                    var fate = each.publication.join().fates().get(reader.subscription.name());
                    var isBegun = fate instanceof MessageFate.Handled || fate instanceof MessageFate.Failed;
                    play.check(isBegun == reader.begun.contains(each.note),
                            each.note + " has met " + fate + ", and " + reader.begun + " were handled");
                    expected += fails && fate instanceof MessageFate.Refused ? 1 : 0;
                }
                refused += fails ? reader.subscription.counters().refused() : 0;
            }
            play.check(refused == expected || isStopped || readers.stream().anyMatch(each -> each.isClosed),
                    refused + " were refused by a policy to fail, but publishers know of " + expected);
        }
    }

    /** A subscriber, and what it has got. */
    private static final class Reader {
        final Work work;
        final OverflowPolicy policy;
        final int room;
        final List<Note> begun = new ArrayList<>();
        Subscription subscription;
        int failed;
        boolean isInside;
        boolean isClosed;

        Reader(Work work) {
            this.work = work;
            policy = List.of(OverflowPolicy.block(), OverflowPolicy.dropNewest(), OverflowPolicy.dropOldest(),
                    OverflowPolicy.reject(), OverflowPolicy.fail()).get(work.play.random.nextInt(5));
            room = work.play.upTo(2);
            subscription = work.topic.subscribe(
                    SubscriberOptions.defaults().withMailbox(MailboxPolicy.bounded(room, policy)),
                    this::handle);
        }

        void handle(Note note) {
            var play = work.play;
            play.check(!isInside, "the handler runs twice");
            play.check(!isClosed, "the handler begins after the close: " + note);
            isInside = true;
            begun.add(note);
            try {
                for (int pauses = play.random.nextInt(8); pauses > 0; pauses--) {
                    play.pause();
                }
                if (work.mayFail && play.chance(30)) {
                    failed++;
                    play.saw("a handler has failed");
                    throw new IllegalStateException("as wanted");
                }
            } finally {
                isInside = false;
            }
        }

        void check() {
            var play = work.play;
            for (int i = 0; i < PUBLISHERS; i++) {
                var publisher = i;
                var numbers = begun.stream().filter(note -> note.publisher() == publisher).map(Note::number)
                        .toList();
                play.check(numbers.stream().distinct().sorted().toList().equals(numbers),
                        "out of order or twice: " + begun);
            }
            var counters = subscription.counters();
            play.check(counters.handled() + counters.failed() == begun.size() && counters.failed() == failed,
                    failed + " of " + begun + " have failed, but " + counters);
            var isComplete = !isClosed && !work.isStopped;
            play.check(!isComplete || counters.total() == work.published,
                    work.published + " were published, but " + counters);
            play.check(!isComplete || counters.undelivered() == 0, "not delivered: " + counters);
            if (policy.equals(OverflowPolicy.block())) {
                play.check(counters.dropped() == 0, "dropped by a policy to wait: " + counters);
                play.check(!isComplete || begun.size() == work.published, "it waits, and has got " + begun);
            }
            if (counters.dropped() > 0) {
                play.saw("dropped by " + policy);
            }
            if (counters.refused() > 0) {
                play.saw("refused by " + policy);
            }
            if (counters.undelivered() > 0) {
                play.saw("ended with a message that waits");
            }
        }
    }

    @Override
    public String name() {
        return "small-mailboxes";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a handler has failed", "dropped by " + OverflowPolicy.dropNewest(),
                "dropped by " + OverflowPolicy.dropOldest(), "refused by " + OverflowPolicy.reject(),
                "refused by " + OverflowPolicy.fail(), "a publisher was told", "handled by all",
                "ended with a message that waits");
    }

    @Override
    public void play(Play play) {
        TopicProbe.marks(Interleave::here);
        // What it loses are no messages of the play.
        var scope = ActorSystem.configure("topics").time(play.schedule.time()).strategy(play.strategy)
                .listener(event -> {
                }).open();
        var work = new Work(play, Topic.open(scope, "notes", TopicOptions.defaults()));
        for (int i = play.upTo(3); i > 0; i--) {
            work.readers.add(new Reader(work));
        }
        var gone = new Semaphore(0);
        for (int i = 0; i < PUBLISHERS; i++) {
            var publisher = i;
            play.spawn("publisher" + i, () -> {
                for (int n = 0; n < MESSAGES; n++) {
                    play.pause();
                    publish(work, new Note(publisher, n));
                }
                gone.release();
            });
        }
        if (play.chance(30)) {
            play.spawn("closer", () -> {
                pauses(play);
                var reader = work.readers.get(play.random.nextInt(work.readers.size()));
                reader.subscription.close();
                reader.isClosed = true;
            });
        }
        if (play.chance(20)) {
            play.spawn("stopper", () -> {
                pauses(play);
                work.isStopped = true;
                work.topic.stop(play.chance(50) ? Duration.ZERO : Duration.ofMinutes(1));
            });
        }
        play.spawn("last", () -> {
            gone.acquire(PUBLISHERS);
            scope.close();
            play.check(work.topic.subscribers() == 0, "subscribers of a closed topic: " + work.topic);
            play.check(work.tracked.stream().allMatch(each -> each.publication.isDone()),
                    "a message without a fate");
        });
        play.ledger.atTheEnd(() -> {
            work.readers.forEach(Reader::check);
            work.checkWhatWasTold();
            var all = work.topic.counters();
            var deliveries =
                    work.readers.stream().mapToLong(each -> each.subscription.counters().total()).sum();
            // A message that came after the stop is counted for the topic alone.
            play.check(all.total() == deliveries || (work.isStopped && all.total() > deliveries),
                    "the topic counts " + all + ", its subscribers " + deliveries);
        });
    }

    private static void pauses(Play play) {
        for (int pauses = play.random.nextInt(40); pauses > 0; pauses--) {
            play.pause();
        }
    }

    private static void publish(Work work, Note note) throws InterruptedException {
        var play = work.play;
        work.published++;
        switch (play.random.nextInt(4)) {
            case 0 -> work.tracked.add(new Tracked(note, work.topic.publishTracked(note)));
            case 1 -> {
                var publication = work.topic.publishAndWait(note);
                work.tracked.add(new Tracked(note, CompletableFuture.completedFuture(publication)));
                play.check(
                        publication.fates().values().stream()
                                .noneMatch(MessageFate.Expired.class::isInstance),
                        "it was no ask: " + publication.fates());
                if (publication.isHandledByAll()) {
                    play.saw("handled by all");
                }
            }
            default -> {
                try {
                    var taken = work.topic.publish(note);
                    play.check(taken <= work.readers.size(), "taken by " + taken);
                } catch (MailboxFullException full) {
                    play.saw("a publisher was told");
                    work.told += 1 + full.getSuppressed().length;
                    play.check(
                            work.readers.stream().anyMatch(each -> each.policy.equals(OverflowPolicy.fail())),
                            "nobody fails: " + full);
                }
            }
        }
    }
}
