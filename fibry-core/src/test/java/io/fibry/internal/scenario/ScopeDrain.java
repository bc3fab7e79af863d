package io.fibry.internal.scenario;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Actors of a scope go on sending to each other while it is closed: all of that is handled. */
final class ScopeDrain implements Scenario {
    @Override
    public String name() {
        return "scope-drain";
    }

    @Override
    public List<String> sometimes() {
        return List.of("lost: CLOSING", "sent from inside while draining", "made from inside while draining");
    }

    /** One message from outside and all that it leads to. */
    private static final class Story {
        /** Whether the stop began while it was being sent: then nothing is promised to what it leads to. */
        boolean raced;
        final List<String> broken = new ArrayList<>();
        final List<Msg> mustBeHandled = new ArrayList<>();
    }

    private static final class Group {
        final Play play;
        final List<Subject> subjects = new ArrayList<>();
        final Map<Msg, Story> stories = new IdentityHashMap<>();
        boolean closing;
        int serial;

        Group(Play play) {
            this.play = play;
        }

        Subject any() {
            return subjects.get(play.random.nextInt(subjects.size()));
        }

        /** An actor that passes messages on, to the others or to an actor that it makes. */
        Subject make(ActorScope scope, boolean once) {
            var subject = new Subject(play);
            if (once) {
                subject.endsByItself();
            }
            try {
                return subject.make(scope.anonymous(), (context, message) -> {
                    handle(context, message);
                    if (once) {
                        context.askExit();
                    }
                }, play.chance(20));
            } catch (IllegalStateException closed) {
                play.ledger.subjects.remove(subject);
                throw closed;
            }
        }

        private void handle(ActorContext<Msg, Integer> context, Msg message) {
            var story = Objects.requireNonNull(stories.get(message));
            if (message.number > 0) {
                var next = any();
                if (play.chance(10)) {
                    try {
                        play.saw(closing ? "made from inside while draining" : "made from inside");
                        next = make(context.scope(), true);
                    } catch (IllegalStateException closed) {
                        story.broken.add("no actor could be made from inside: " + closed);
                    }
                }
                passOn(next, message.number - 1, story);
            }
        }

        private void passOn(Subject next, int rest, Story story) {
            // A number of its own: no two messages of one sender are compared.
            var message = new Msg("inside-" + serial++, rest);
            stories.put(message, story);
            story.mustBeHandled.add(message);
            play.pause();
            if (!next.send(message)) {
                story.broken.add("refused, though it came from inside: " + message);
            }
            if (closing) {
                play.saw("sent from inside while draining");
            }
        }
    }

    @Override
    public void play(Play play) {
        var group = new Group(play);
        var inner = play.scope.child("inner").strategy(play.strategy).open();
        play.ledger.scopes.add(inner);
        for (int i = 0; i < 2; i++) {
            group.subjects.add(group.make(i == 0 ? inner : play.scope, false));
        }
        play.spawn("sender", () -> {
            var message = new Msg("sender", play.random.nextInt(30));
            var story = new Story();
            group.stories.put(message, story);
            group.any().send(message);
            story.raced = group.closing;
        });
        play.spawn("closing", () -> {
            for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                Thread.yield();
            }
            group.closing = true;
            var report = play.scope.stop(Play.MILLI.multipliedBy(1_000));
            play.check(report.stopped() && !report.forced(), "not drained in time: " + report);
        });
        play.ledger.atTheEnd(() -> group.stories.values().stream().distinct().filter(story -> !story.raced)
                .forEach(story -> {
                    story.broken.forEach(what -> play.check(false, what));
                    story.mustBeHandled
                            .forEach(message -> play.check(message.returned == 1, "not handled: " + message));
                }));
    }
}
