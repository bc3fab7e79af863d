package io.fibry.internal.scenario;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Threads that are no actors' ask actors on lanes, one after another or several at a time; lanes wait to be asked again. */
final class AskedAgain implements Scenario {
    @Override
    public String name() {
        return "asked-again";
    }

    @Override
    public List<String> sometimes() {
        return List.of("another actor on the thread of the last answer", "on a fresh thread");
    }

    @Override
    public void play(Play play) {
        var lanes = play.lanes(play::pause);
        var actors = new ArrayList<Subject>();
        var ranOn = new HashMap<Msg, Thread>();
        for (int i = 0; i < 3; i++) {
            actors.add(new Subject(play).make(play.anonymous().strategy(lanes), (context, message) -> {
                ranOn.put(message, Thread.currentThread());
                if (play.chance(20)) {
                    play.pause();
                }
            }));
        }
        for (int i = 0; i < play.upTo(3); i++) {
            var name = "asking" + i;
            play.spawn(name, () -> ask(play, name, actors, ranOn));
        }
        play.sender("telling", 3, actors.getFirst());
    }

    private static void ask(Play play, String name, List<Subject> actors, Map<Msg, Thread> ranOn)
            throws Exception {
        var numbers = 0;
        Thread last = null;
        Subject lastAsked = null;
        for (int i = 0; i < 6; i++) {
            var messages = new ArrayList<Msg>();
            var answers = new ArrayList<CompletableFuture<Integer>>();
            var asked = new ArrayList<Subject>();
            for (var actor : actors) {
                if (play.chance(40)) {
                    asked.add(actor);
                    var message = new Msg(name, numbers++);
                    messages.add(message);
                    answers.add(actor.ask(message));
                }
            }
            for (int k = 0; k < answers.size(); k++) {
                var message = messages.get(k);
                play.check(answers.get(k).get() == message.number, "the answer of another");
                var thread = ranOn.get(message);
                if (thread != last) {
                    play.saw("on a fresh thread");
                } else if (asked.get(k) != lastAsked) {
                    play.saw("another actor on the thread of the last answer"); // none has sent to another
                }
                last = thread;
                lastAsked = asked.get(k);
            }
        }
    }
}
