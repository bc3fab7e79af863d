package io.fibry.internal.scenario;

import io.fibry.ActorStoppedException;
import io.fibry.AskCycleException;
import io.fibry.CreationStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * Each actor asks only such as come after it, while it handles a message, from a message to itself or from an exit hook; a
 * hook asks the one that was answered before as well. So nobody ever waits in a circle, and nobody waits for ever.
 */
final class AskDag implements Scenario {
    private static final int ACTORS = 5;

    @Override
    public String name() {
        return "ask-dag";
    }

    @Override
    public List<String> sometimes() {
        return List.of("asked on top", "a hook asked who was answered", "a hook asked one behind");
    }

    @Override
    public void play(Play play) {
        var subjects = new ArrayList<Subject>();
        var lanes = play.lanes(play::pause);
        var onCallers = play.chance(25);
        for (int i = 0; i < ACTORS; i++) {
            var self = i;
            var subject = new Subject(play).endsByItself();
            subjects.add(subject);
            var asker = new Subject[1];
            var builder = play.anonymous().strategy(onCallers ? CreationStrategy.caller()
                    : play.chance(70) ? lanes : play.elsewhere());
            if (play.chance(20)) {
                builder = builder.runByCallers();
            }
            subject.make(builder.onExit(() -> {
                var last = asker[0];
                if (last != null) {
                    ask(play, last, new Msg("hook" + self, 0));
                    play.saw("a hook asked who was answered");
                } else {
                    askBehind(play, subjects, self, "hook" + self, 0);
                    play.saw("a hook asked one behind");
                }
            }), (context, message) -> {
                if (message.number == 0) {
                    return;
                }
                if (play.chance(20)) {
                    subject.send(new Msg("self" + self + "-" + subject.handled, 1));
                }
                askBehind(play, subjects, self, "actor" + self + "-" + subject.handled, message.number);
                if (message.from != null && play.chance(30)) {
                    if (message.from.ranOn(Thread.currentThread())) {
                        play.saw("asked on top");
                    }
                    asker[0] = message.from;
                    context.self().askExit();
                }
            }, false);
        }
        play.spawn("stopper", () -> {
            for (int i = 0; i < 2; i++) {
                play.pause();
                subjects.get(play.random.nextInt(ACTORS)).actor().askExit();
            }
        });
        for (int i = 0; i < 3; i++) {
            var first = subjects.get(i);
            play.sender("sender" + i, play.upTo(2), first);
            play.spawn("asker" + i, () -> {
                play.pause();
                ask(play, first, new Msg("asker", play.upTo(3)));
            });
        }
    }

    private static void askBehind(Play play, List<Subject> subjects, int self, String name, int number)
            throws Exception {
        if (self + 1 < subjects.size()) {
            var next = subjects.get(self + 1 + play.random.nextInt(subjects.size() - self - 1));
            var message = new Msg(name, number);
            message.from = subjects.get(self);
            ask(play, next, message);
        }
    }

    private static void ask(Play play, Subject whom, Msg message) throws Exception {
        try {
            await(play, whom.ask(message));
        } catch (AskCycleException e) {
            play.check(false, "no cycle: " + e.getMessage());
        } catch (ExecutionException | CompletionException e) {
            if (!(e.getCause() instanceof ActorStoppedException)) {
                throw e;
            }
        }
    }

    private static void await(Play play, CompletableFuture<Integer> answer) throws Exception {
        switch (play.random.nextInt(3)) {
            case 0 -> answer.get();
            case 1 -> answer.join();
            default -> answer.thenApply(x -> x).get();
        }
    }
}
