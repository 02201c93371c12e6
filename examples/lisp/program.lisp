; Each line that is printed is true for every size.
(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))
(define fast (lambda (n a b) (if (= n 0) a (fast (- n 1) b (+ a b)))))
(= (fib size) (fast size 0 1))

(define range (lambda (n list) (if (= n 0) list (range (- n 1) (cons n list)))))
(define map (lambda (f list) (if (null list) list (cons (f (car list)) (map f (cdr list))))))
(define sum (lambda (list total) (if (null list) total (sum (cdr list) (+ total (car list))))))
(define squares (map (lambda (x) (* x x)) (range size (quote ()))))
(= (* 6 (sum squares 0)) (* size (* (+ size 1) (+ size (+ size 1)))))

; A closure keeps its variables.
(define adder (lambda (n) (lambda (x) (+ x n))))
(map (adder 10) (quote (1 2 3)))
(quote (words and numbers -7))
