package io.fibry.examples;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/** What a program prints to standard output. */
final class Printed {
    interface Program {
        void main(String[] args) throws Exception;
    }

    private Printed() {
    }

    static List<String> by(Program program, String... args) throws Exception {
        var before = System.out;
        var printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true));
        try {
            program.main(args);
        } finally {
            System.setOut(before);
        }
        return printed.toString().lines().toList();
    }
}
