package io.fibry.internal.scenario;

import io.fibry.internal.scenario.Change.Edit;
import io.fibry.internal.scenario.Marked.Source;
import java.util.Comparator;

/**
 * The engine with one mistake in it, which a scenario must find.
 *
 * @param id says what is wrong; a marker with this id is before the statement that is changed, see {@link Markers}
 * @param scenarios which of them find it, with commas between them
 * @param change what is done with the statement
 * @param firstSeed is played before the others, as it was the first to find this mutant, and is a late one; 0 for none.
 *            Another one may find it when the engine has been changed: that takes longer, and the test tells which it is.
 */
record Mutant(String id, String scenarios, Change change, long firstSeed) {
    Mutant(String id, String scenarios, Change change) {
        this(id, scenarios, change, 0);
    }

    Mutant foundBy(long seed) {
        return new Mutant(id, scenarios, change, seed);
    }

    /** The source with the mistake. */
    Source source(Marked place) {
        var edits = change.of(place).stream().sorted(Comparator.comparingLong(Edit::from)).toList();
        var original = place.source().text();
        var text = new StringBuilder();
        var done = 0;
        for (var edit : edits) {
            place.require(edit.from() >= done, "two changes of the same characters");
            text.append(original, done, (int) edit.from()).append(edit.text());
            done = (int) edit.to();
        }
        text.append(original, done, original.length());
        place.require(!withoutSpace(text.toString()).equals(withoutSpace(original)), "it changes nothing");
        return new Source(place.source().path(), text.toString());
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s", "");
    }

    @Override
    public String toString() {
        return id;
    }
}
