// The same experiments in Go: goroutines and channels.
// usage: twin experiment case count rounds; prints the nanoseconds of each round, the first one warms up.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// Channels of floods have room for this many; Go has none without an end.
const room = 1024

func check(ok bool, format string, args ...any) {
	if !ok {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
		os.Exit(1)
	}
}

// Makes goroutines that wait at their channels, and keeps them. Their end is not measured.
func create(count int) time.Duration {
	kept := make([]chan int, count)
	handled := make(chan int, 1)
	var ended sync.WaitGroup
	runtime.GC()
	start := time.Now()
	for i := range kept {
		mailbox := make(chan int, 1)
		kept[i] = mailbox
		go func() {
			for message := range mailbox {
				handled <- message
			}
			ended.Done()
		}()
	}
	took := time.Since(start)
	ended.Add(count)
	for i := 0; i < count; i += max(1, count/10) {
		kept[i] <- i
		check(<-handled == i, "goroutine %d did not handle its message", i)
	}
	for _, mailbox := range kept {
		close(mailbox)
	}
	ended.Wait()
	return took
}

type question struct {
	number int
	answer chan int
}

// Asks for squares, one after the other; each question brings the channel for its answer.
func ask(asks int) time.Duration {
	questions := make(chan question)
	done := make(chan int)
	start := time.Now()
	go func() {
		for q := range questions {
			q.answer <- q.number * q.number
		}
	}()
	go func() {
		sum := 0
		for i := 0; i < asks; i++ {
			answer := make(chan int, 1)
			questions <- question{i, answer}
			sum += <-answer
		}
		done <- sum
	}()
	sum := <-done
	took := time.Since(start)
	close(questions)
	n := asks - 1
	check(sum == n*(n+1)*(2*n+1)/6, "the sum of the answers is %d", sum)
	return took
}

// Hands one message on; all are made before.
func ring(size, hops int) time.Duration {
	mailboxes := make([]chan int, size)
	for i := range mailboxes {
		mailboxes[i] = make(chan int, 1)
	}
	handedOn := 0
	done := make(chan bool)
	for i := range mailboxes {
		mine, next := mailboxes[i], mailboxes[(i+1)%size]
		go func() {
			for left := range mine {
				if left == 0 {
					done <- true
				} else {
					handedOn++
					next <- left - 1
				}
			}
		}()
	}
	start := time.Now()
	mailboxes[0] <- hops
	<-done
	took := time.Since(start)
	check(handedOn == hops, "handed on %d times, not %d", handedOn, hops)
	for _, mailbox := range mailboxes {
		close(mailbox)
	}
	return took
}

// Sends from some to one as fast as they can, until all is handled.
func flood(senders, messages int) time.Duration {
	mailbox := make(chan *int, room)
	message := new(int)
	done := make(chan int)
	go func() {
		seen := 0
		for range mailbox {
			seen++
			if seen == messages {
				done <- seen
			}
		}
		done <- seen
	}()
	start := time.Now()
	var sent sync.WaitGroup
	for s := 0; s < senders; s++ {
		sent.Add(1)
		go func() {
			for i := messages / senders; i > 0; i-- {
				mailbox <- message
			}
			sent.Done()
		}()
	}
	<-done
	took := time.Since(start)
	sent.Wait()
	close(mailbox)
	seen := <-done
	check(seen == messages, "%d messages were handled, not %d", seen, messages)
	return took
}

func leafOrTen(parent chan<- int, first, size int) {
	if size == 1 {
		parent <- first
		return
	}
	mailbox := make(chan int)
	for i := 0; i < 10; i++ {
		go leafOrTen(mailbox, first+i*size/10, size/10)
	}
	sum := 0
	for i := 0; i < 10; i++ {
		sum += <-mailbox
	}
	parent <- sum
}

// A tree of goroutines that each start ten, whose leaves' numbers are added up.
func skynet(leaves int) time.Duration {
	start := time.Now()
	result := make(chan int)
	go leafOrTen(result, 0, leaves)
	sum := <-result
	took := time.Since(start)
	check(sum == leaves*(leaves-1)/2, "the sum is %d", sum)
	return took
}

func main() {
	number := func(i int) int {
		n, err := strconv.Atoi(os.Args[i])
		check(err == nil, "not a number: %s", os.Args[i])
		return n
	}
	check(len(os.Args) == 5, "usage: twin experiment case count rounds")
	which, count := number(2), number(3)
	for round := 0; round <= number(4); round++ {
		var took time.Duration
		switch os.Args[1] {
		case "create":
			took = create(count)
		case "ask":
			took = ask(count)
		case "ring":
			took = ring(which, count)
		case "flood":
			took = flood(which, count)
		case "skynet":
			took = skynet(count)
		default:
			check(false, "there is no experiment %s", os.Args[1])
		}
		if round > 0 {
			fmt.Println(took.Nanoseconds())
		}
	}
}
