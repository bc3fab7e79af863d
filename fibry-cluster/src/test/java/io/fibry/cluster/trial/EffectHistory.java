package io.fibry.cluster.trial;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** What was acknowledged of effects on keys, what the database has of them, and when turns have begun. All processes have one clock. */
final class EffectHistory {
    /** An effect as the database has it, or as it was acknowledged, by nobody. */
    record Effect(int key, long revision, String id, String actor) {
    }

    /** A turn has begun. */
    record Begin(int key, String actor, long time) {
        static Begin of(String line) {
            var words = line.split(" ");
            return new Begin(Integer.parseInt(words[0]), words[1], Long.parseLong(words[2]));
        }
    }

    private EffectHistory() {
    }

    /** Returns what must not be. */
    static List<String> faults(List<Effect> acknowledged, List<Effect> there, List<Begin> begins) {
        var faults = new ArrayList<String>();
        var byId = new HashMap<String, Effect>();
        var revisions = new HashMap<Integer, Map<Long, Effect>>();
        for (var each : there) {
            if (byId.put(each.id, each) != null) {
                faults.add("twice: " + each);
            }
            var other = revisions.computeIfAbsent(each.key, key -> new HashMap<>()).put(each.revision, each);
            if (other != null) {
                faults.add("of two homes at a time: " + other + " and " + each);
            }
        }
        revisions.forEach((key, all) -> {
            for (long revision = 1; revision <= all.size(); revision++) {
                if (!all.containsKey(revision)) {
                    faults.add("a gap at " + revision + " of the key " + key);
                    return;
                }
            }
            orderFaults(all, faults);
        });
        for (var each : acknowledged) {
            var effect = byId.get(each.id);
            if (effect == null) {
                faults.add("acknowledged and lost: " + each);
            } else if (effect.revision != each.revision || effect.key != each.key) {
                faults.add("acknowledged as " + each + ": " + effect);
            }
        }
        lateTurns(begins, faults);
        return faults;
    }

    /** An actor that writes behind the next one is that of an older home. */
    private static void orderFaults(Map<Long, Effect> effects, List<String> faults) {
        var before = new HashSet<String>();
        var last = "";
        for (long revision = 1; revision <= effects.size(); revision++) {
            var actor = effects.get(revision).actor;
            if (!actor.equals(last) && !before.add(actor)) {
                faults.add("written behind the next home: " + effects.get(revision));
            }
            last = actor;
        }
    }

    private static void lateTurns(List<Begin> begins, List<String> faults) {
        var lasts = new HashMap<Integer, String>();
        var before = new HashSet<String>();
        begins.stream().sorted(Comparator.comparingLong(Begin::time)).forEach(each -> {
            var last = lasts.put(each.key, each.actor);
            if (!each.actor.equals(last) && !before.add(each.key + " " + each.actor)) {
                faults.add("begun late, after a turn of " + last + ": " + each);
            }
        });
    }
}
