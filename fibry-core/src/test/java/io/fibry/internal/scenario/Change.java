package io.fibry.internal.scenario;

import java.util.List;
import java.util.stream.Stream;

/**
 * What a mutant does with the statement that follows its marker. An operator that needs no text is preferred: it outlives
 * renaming and formatting. In a text that is given, {@code $} stands for what is replaced.
 */
@FunctionalInterface
interface Change {
    /** The replacement of some characters of the source. */
    record Edit(long from, long to, String text) {
        public Edit {
            if (from < 0 || to < from) {
                throw new IllegalArgumentException("an edit from " + from + " to " + to);
            }
        }
    }

    List<Edit> of(Marked statement);

    /** Both changes, which must not touch the same characters. */
    default Change and(Change other) {
        return marked -> Stream.concat(of(marked).stream(), other.of(marked).stream()).toList();
    }

    /** Takes the statement away. */
    static Change drop() {
        return drop(1);
    }

    /** Takes away the statement and the ones that follow it: so many in all. */
    static Change drop(int count) {
        return marked -> marked.following(count).stream().map(each -> marked.replace(each, ";")).toList();
    }

    /** Evaluates the condition and does nothing then, or leaves a case without its action. */
    static Change empty() {
        return marked -> List.of(marked.replace(marked.body(), "{ }"));
    }

    /** Moves the statement behind the ones that follow it, so many, and puts something in between. */
    static Change behind(int count, String between) {
        return marked -> {
            var all = marked.following(count + 1);
            return List.of(marked.replace(all.getFirst(), ";"), marked.replace(all.getLast(),
                    "$ " + between + " " + marked.text(all.getFirst())));
        };
    }

    /** Replaces the condition by a value. It is that of an if or of a loop, else that of the first {@code ?:}. */
    static Change condition(boolean value) {
        return condition(value ? "Boolean.TRUE" : "Boolean.FALSE"); // no constants, which make code unreachable
    }

    /** Replaces the condition. */
    static Change condition(String text) {
        return marked -> List.of(marked.replace(marked.condition(), text));
    }

    /** Removes the operand with this index from the condition, or from the value: a chain of {@code &&} or {@code ||}. */
    static Change withoutOperand(int index) {
        return marked -> {
            var all = marked.operands();
            marked.require(index < all.size(), "there is no operand " + index + " of " + all);
            return List.of(index == 0
                    ? new Edit(marked.start(all.get(0)), marked.start(all.get(1)), "")
                    : new Edit(marked.end(all.get(index - 1)), marked.end(all.get(index)), ""));
        };
    }

    /** Makes the only compare-and-set, or compare-and-exchange, of the condition or of the statement write without comparing. */
    static Change overwrite() {
        return marked -> {
            var call = marked.compareAndSwap();
            var arguments = call.getArguments();
            var expected = arguments.get(arguments.size() - 2);
            var set =
                    marked.text(call.getMethodSelect()).replaceFirst("compareAnd(Set|Exchange)$", "getAndSet")
                            + "(" + Stream.concat(arguments.stream().limit(arguments.size() - 2),
                                    Stream.of(arguments.getLast())).map(marked::text)
                                    .reduce((one, next) -> one + ", " + next).orElseThrow()
                            + ")";
            var written = "java.util.Objects.isNull(" + set + ")";
            var isSet = marked.text(call.getMethodSelect()).endsWith("Set");
            return List.of(marked.replace(call, isSet
                    ? "(" + written + " || true)"
                    : "(" + written + " ? " + marked.text(expected) + " : " + marked.text(expected) + ")"));
        };
    }

    /** Replaces the value that is returned, assigned, or given to a new variable. */
    static Change value(String text) {
        return marked -> List.of(marked.replace(marked.value(), text));
    }

    /** Replaces the last argument of the call that the statement makes. */
    static Change lastArgument(String text) {
        return marked -> List.of(marked.replace(marked.arguments().getLast(), text));
    }

    /** Replaces the only expression of the condition, or of the statement, that is written like this. */
    static Change part(String expression, String text) {
        return marked -> {
            var found = marked.written(expression);
            marked.require(found.size() == 1, "'" + expression + "' is there " + found.size() + " times");
            return List.of(marked.replace(found.getFirst(), text));
        };
    }

    /** Does something before the statement. */
    static Change preceded(String text) {
        return marked -> {
            var start = marked.start(marked.tree());
            return List.of(new Edit(start, start, text + " "));
        };
    }

    /** Replaces the statement. */
    static Change replaced(String text) {
        return marked -> List.of(marked.replace(marked.tree(), text));
    }
}
