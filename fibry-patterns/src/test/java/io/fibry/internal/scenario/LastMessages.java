package io.fibry.internal.scenario;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.internal.memory.Interleave;
import io.fibry.topic.SubscriberOptions;
import io.fibry.topic.Subscription;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import io.fibry.topic.TopicProbe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Threads publish to a topic that keeps its last message, while others subscribe, close subscriptions or stop the topic. */
final class LastMessages implements Scenario {
    private static final int PUBLISHERS = 2;
    private static final int MESSAGES = 3;

    private record Note(int publisher, int number) {
    }

    /** What one subscriber has got. */
    private static final class Reader {
        final List<Note> notes = new ArrayList<>();
        boolean isClosed;
        boolean isInside;
    }

    /** The play, and how many of its threads still work with the topic. */
    private static final class Crew {
        final Play play;
        final Topic<Note> topic;
        final Semaphore gone = new Semaphore(0);
        final List<Subscription> subscriptions = new ArrayList<>();
        int published;
        boolean isStopped;

        Crew(Play play, Topic<Note> topic) {
            this.play = play;
            this.topic = topic;
        }
    }

    @Override
    public String name() {
        return "last-message";
    }

    @Override
    public List<String> sometimes() {
        return List.of("began with the last message", "got all", "closed with messages that wait",
                "refused by a stopped topic");
    }

    @Override
    public void play(Play play) {
        TopicProbe.marks(Interleave::here);
        // What it loses are no messages of the play.
        var scope = ActorSystem.configure("topics").time(play.schedule.time()).strategy(play.strategy)
                .listener(event -> {
                }).open();
        var options = TopicOptions.defaults().withMailbox(MailboxPolicy.unbounded()).keepingLast();
        if (play.chance(50)) { // the publisher runs the handlers
            options = options.withActors(actor -> actor.strategy(CreationStrategy.caller()));
        }
        var crew = new Crew(play, Topic.open(scope, "notes", options));
        for (int i = 0; i < PUBLISHERS; i++) {
            var publisher = i;
            play.spawn("publisher" + i, () -> publish(crew, publisher));
        }
        for (int i = 0; i < 2; i++) {
            play.spawn("subscriber" + i, () -> subscribe(crew));
        }
        play.spawn("subscribing actor", () -> subscribeActor(crew, scope));
        if (play.chance(20)) {
            play.spawn("stopper", () -> {
                pauses(play);
                crew.isStopped = true;
                crew.topic.close();
            });
        }
        play.spawn("last", () -> {
            crew.gone.acquire(PUBLISHERS + 3);
            scope.close();
            play.check(crew.topic.subscribers() == 0,
                    "subscribers of a closed topic: " + crew.topic.subscribers());
            long deliveries = 0;
            for (var each : crew.subscriptions) {
                play.check(!each.isActive(), "a subscription to a closed topic: " + each);
                deliveries += each.counters().total();
            }
            var all = crew.topic.counters();
            // A message that came after the stop is counted for the topic alone.
            play.check(all.total() == deliveries || (crew.isStopped && all.total() > deliveries),
                    "the topic counts " + all + ", its subscribers " + deliveries);
        });
    }

    private static void pauses(Play play) {
        for (int pauses = play.random.nextInt(30); pauses > 0; pauses--) {
            play.pause();
        }
    }

    private static void publish(Crew crew, int publisher) {
        for (int n = 0; n < MESSAGES; n++) {
            crew.play.pause();
            crew.topic.publish(new Note(publisher, n));
            crew.published++;
        }
        crew.gone.release();
    }

    private static void subscribe(Crew crew) {
        var play = crew.play;
        pauses(play);
        var reader = new Reader();
        var before = crew.published;
        try {
            var subscription = crew.topic.subscribe(SubscriberOptions.defaults().withLast(), note -> {
                play.check(!reader.isClosed, "the handler begins after the close: " + note);
                play.check(!reader.isInside, "the handler runs twice");
                reader.isInside = true;
                play.pause();
                reader.notes.add(note);
                reader.isInside = false;
            });
            crew.subscriptions.add(subscription);
            play.ledger.atTheEnd(() -> check(crew, reader, subscription, before));
            if (play.chance(30)) {
                pauses(play);
                subscription.close();
                reader.isClosed = true;
            }
        } catch (IllegalStateException stopped) {
            play.check(crew.isStopped, "refused: " + stopped);
            play.saw("refused by a stopped topic");
        } finally {
            crew.gone.release();
        }
    }

    private static void subscribeActor(Crew crew, ActorScope scope) {
        var play = crew.play;
        pauses(play);
        var actor = scope.anonymous().newActor((Note note) -> play.pause());
        try {
            var subscription = crew.topic.subscribe(actor);
            crew.subscriptions.add(subscription);
            pauses(play);
            actor.close();
            play.check(!subscription.isActive(),
                    "the subscription of an actor that has stopped: " + subscription);
        } catch (IllegalStateException stopped) {
            play.check(crew.isStopped, "refused: " + stopped);
            actor.close();
        } finally {
            crew.gone.release();
        }
    }

    private static void check(Crew crew, Reader reader, Subscription subscription, int before) {
        var play = crew.play;
        var counters = subscription.counters();
        play.check(counters.handled() == reader.notes.size() && counters.failed() == 0,
                "it has got " + reader.notes + " and counts " + counters);
        if (counters.undelivered() > 0) {
            play.saw("closed with messages that wait");
        }
        var isComplete = !reader.isClosed && !crew.isStopped;
        play.check(!isComplete || reader.notes.size() > 0, "it has got nothing");
        for (int i = 0; i < PUBLISHERS; i++) {
            int next = -1;
            for (var note : reader.notes) {
                if (note.publisher() == i) {
                    play.check(next < 0 || note.number() == next,
                            note.number() + " comes instead of " + next + ": " + reader.notes);
                    next = note.number() + 1;
                }
            }
            play.check(!isComplete || next < 0 || next == MESSAGES, "not the last ones: " + reader.notes);
        }
        if (isComplete && before > 0) {
            play.saw("began with the last message");
        }
        if (reader.notes.size() == PUBLISHERS * MESSAGES) {
            play.saw("got all");
        }
    }
}
